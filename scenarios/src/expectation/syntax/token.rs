//! The words of an expectation.

use crate::source::Span;

/// A word, with its place in the expectation's text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) span: Span,
    pub(super) kind: TokenKind,
    /// As written; of a string, without its quotes.
    pub(super) text: &'a str,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name: `latency`, `gateway.queue.depth`, `p99.9`, `shoppers.spike`.
    Name,
    /// Digits, and what is glued to them: `250ms`, `10_000`, `1m30s`.
    Quantity,
    /// A text in single or double quotes.
    Quoted,
    /// A bracket, comma or sign.
    Symbol,
    /// Nothing that the language has.
    Strange,
    /// The end of the text.
    End,
}

/// Signs of two characters, which must be tried first. The last ones are mistakes that deserve their own message.
const PAIRS: [&str; 8] = ["<=", ">=", "==", "..", "!=", "=<", "=>", "&&"];

/// Splits a text into words, the last of which is [`TokenKind::End`].
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { break };
        let (kind, length) = match first {
            'a'..='z' | 'A'..='Z' | '_' => (TokenKind::Name, run(rest, is_name)),
            '0'..='9' => (TokenKind::Quantity, run(rest, is_quantity)),
            '"' | '\'' => match rest[1..].find(first) {
                Some(length) => {
                    let span = at..at + length + 2;
                    tokens.push(Token {
                        text: &text[at + 1..span.end - 1],
                        kind: TokenKind::Quoted,
                        span: span.clone(),
                    });
                    at = span.end;
                    continue;
                }
                None => (TokenKind::Strange, rest.len()),
            },
            _ if PAIRS.iter().any(|pair| rest.starts_with(pair)) => (TokenKind::Symbol, 2),
            '(' | ')' | '{' | '}' | '[' | ']' | ',' | '/' | '%' | '<' | '>' | '=' => (TokenKind::Symbol, 1),
            _ => (TokenKind::Strange, first.len_utf8()),
        };
        tokens.push(Token { span: at..at + length, kind, text: &rest[..length] });
        at += length;
    }
    tokens.push(Token { span: text.len()..text.len(), kind: TokenKind::End, text: "" });
    tokens
}

/// The length of the characters that `belongs`, with single points between them.
fn run(text: &str, belongs: fn(char) -> bool) -> usize {
    let mut end = 0;
    for (at, character) in text.char_indices() {
        let joined =
            character == '.' && text[at + 1..].chars().next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        if !belongs(character) && !joined {
            break;
        }
        end = at + character.len_utf8();
    }
    end
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

fn is_quantity(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | 'µ' | 'μ')
}
