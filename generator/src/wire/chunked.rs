//! The chunked coding (RFC 9112, section 7.1), byte by byte where it has structure and in strides where it has none.

use crate::transport::TransportError;

/// The most bytes of all trailers, and of the extensions of one chunk.
const EXTRA_MAX: u32 = 64 * 1024;

/// A chunked body in the course of being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunked {
    at: At,
    /// The size of the present chunk as far as it is read, then how much of it is to come.
    left: u64,
    /// Bytes of extensions in this line, or of trailers.
    extra: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// So many digits of the size are read.
    Size(u8),
    Extension,
    SizeLineFeed,
    Data,
    DataReturn,
    DataLineFeed,
    /// At the start of a trailer line.
    Trailer,
    InTrailer,
    LastLineFeed,
    Complete,
}

/// Whether the body is at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkedEnd {
    /// More is to come.
    Open,
    /// It is.
    Complete,
}

// === impl Chunked ===

impl Chunked {
    pub(super) fn new() -> Self {
        Self { at: At::Size(0), left: 0, extra: 0 }
    }

    pub(super) fn end(&self) -> ChunkedEnd {
        if self.at == At::Complete { ChunkedEnd::Complete } else { ChunkedEnd::Open }
    }

    /// Takes in bytes up to the end of the body; returns how many it took and how many of those were data.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(usize, u64), TransportError> {
        let (mut used, mut data) = (0, 0);
        while used < bytes.len() && self.at != At::Complete {
            if self.at == At::Data {
                let taken = self.left.min((bytes.len() - used) as u64);
                self.left -= taken;
                used += taken as usize;
                data += taken;
                if self.left == 0 {
                    self.at = At::DataReturn;
                }
            } else {
                self.at = self.step(bytes[used])?;
                used += 1;
            }
        }
        Ok((used, data))
    }

    fn step(&mut self, byte: u8) -> Result<At, TransportError> {
        const MALFORMED: TransportError = TransportError::Malformed("chunked coding");
        match (self.at, byte) {
            (At::Size(digits), _) if byte.is_ascii_hexdigit() => {
                if digits == 16 {
                    return Err(TransportError::Malformed("chunk size"));
                }
                let digit = char::from(byte).to_digit(16).expect("the byte is a hexadecimal digit");
                self.left = self.left << 4 | u64::from(digit);
                Ok(At::Size(digits + 1))
            }
            (At::Size(1..) | At::Extension, b'\r') => Ok(At::SizeLineFeed),
            (At::Size(1..), b';' | b' ' | b'\t') => Ok(At::Extension),
            (At::Extension, _) if byte != b'\n' => self.count_extra().map(|()| At::Extension),
            (At::SizeLineFeed, b'\n') => {
                self.extra = 0;
                Ok(if self.left == 0 { At::Trailer } else { At::Data })
            }
            (At::DataReturn, b'\r') => Ok(At::DataLineFeed),
            (At::DataLineFeed, b'\n') => Ok(At::Size(0)),
            (At::Trailer, b'\r') => Ok(At::LastLineFeed),
            (At::LastLineFeed, b'\n') => Ok(At::Complete),
            (At::InTrailer, b'\n') => Ok(At::Trailer),
            (At::Trailer | At::InTrailer, _) if byte != b'\n' => self.count_extra().map(|()| At::InTrailer),
            _ => Err(MALFORMED),
        }
    }

    fn count_extra(&mut self) -> Result<(), TransportError> {
        self.extra += 1;
        if self.extra > EXTRA_MAX {
            Err(TransportError::TooLarge("chunk extensions or trailers over 64 KiB"))
        } else {
            Ok(())
        }
    }
}
