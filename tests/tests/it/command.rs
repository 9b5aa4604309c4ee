//! The command line under test, as a child process in an empty folder.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A scenario of a second that every case starts from. All expectations hold.
pub(crate) const SCENARIO: &str = r#"name = "small"
seed = 3

[[traffic]]
name = "shoppers"
timeout = "500ms"
mix = [{ get = "/items/{key}", keys = { count = 100, zipf = 1.0 } }]

[[traffic.stage]]
name = "quiet"
for = "500ms"
rate = "20/s"

[[traffic.stage]]
name = "spike"
for = "500ms"
rate = "200/s"

[target.gateway]
workers = 20
limiter = { kind = "sliding-window", limit = 400, per = "1s" }
queue = { kind = "fifo", capacity = 50, timeout = "200ms" }

[target.db]
query = "4ms"
pool = { kind = "deadpool", max = 10, connect = "10ms" }

[expect]
all-ok = "count(ok) == 110"
fast = "p95(latency) <= 100ms during spike"
"#;

/// A scenario that aims at a service which is not there, with these lines about it.
pub(crate) fn real(lines: &str) -> String {
    let load = SCENARIO.split("[target.gateway]").next().expect("it has a load");
    format!("{load}[target]\nurl = \"http://127.0.0.1:1\"\n{lines}\n[expect]\nall-ok = \"count(ok) == 110\"\n")
}

/// A folder of its own for each case.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for temporary files"))
    }

    /// A folder with `small.toml`, which is [`SCENARIO`].
    pub(crate) fn with_scenario() -> Self {
        let folder = Self::new();
        folder.write("small.toml", SCENARIO);
        folder
    }

    /// Puts a file into it.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path().join(name), text).expect("the folder is writable");
    }

    /// Reads a file of it.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A result in it.
    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_slice(&self.read(name)).expect("a result is JSON")
    }

    /// The names of its files, sorted; hidden ones too.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).expect("the folder is readable");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("as above").file_name();
        let mut names: Vec<_> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The command line in this folder, not started yet; nothing of this process's terminal or colour settings reaches it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coldfront-under-test"));
        command.args(arguments).current_dir(self.path()).stdin(Stdio::null());
        command.env_remove("NO_COLOR").env("RUST_BACKTRACE", "0");
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().expect("the binary starts"))
    }

    /// Starts it with its streams caught.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
    }
}

/// How the command line ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Ended {
    /// Waits for the end of a child of [`Folder::start`].
    pub(crate) fn wait(mut child: Child) -> Self {
        let mut stdout = String::new();
        if let Some(mut stream) = child.stdout.take() {
            stream.read_to_string(&mut stdout).expect("it writes text");
        }
        let mut ended = Self::from(child.wait_with_output().expect("it can be waited for"));
        ended.stdout = stdout;
        ended
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("it writes text");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}
