use super::*;
use std::fs;

/// A repository with the required files, a generated folder, two rooms and the given README.
fn repository(readme: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in REQUIRED {
        fs::write(root.path().join(name), "").unwrap();
    }
    for folder in ["docs/math", "room/src"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    fs::write(root.path().join("room/src/lib.rs"), "").unwrap();
    fs::write(root.path().join(".gitignore"), "/target\n/demo/\n*.log\n").unwrap();
    fs::write(root.path().join("README.md"), readme).unwrap();
    root
}

#[test]
fn paths_that_exist_pass() {
    let root = repository(
        "`room/src/lib.rs:1` `room/src/` `docs/math` `room/*/<name>.rs` [x](room/src/lib.rs#L1) [y](LICENSE)\n\
         `target/release/x` `demo/picture.png` [z](demo/picture.png) [w](../elsewhere/a.md) [v](https://a.org/b)\n",
    );
    fs::write(root.path().join("docs/math/cic.md"), "[up](../../README.md) `room/src/lib.rs`").unwrap();
    fs::write(root.path().join("room/README.md"), "`src/lib.rs` [lib](src/lib.rs)").unwrap();
    assert_eq!(complaints(root.path()).unwrap(), Vec::<String>::new());
}

#[test]
fn ghosts_are_named_with_file_and_line() {
    let root = repository("`room/src/lib.rs`\n`room/src/gone.rs:3`\n`room/*.rs` `gone/dir/`\n[x](gone.md)\n");
    fs::write(root.path().join("docs/math/cic.md"), "\n[root](room/src/lib.rs)").unwrap();
    fs::write(root.path().join("room/README.md"), "`src/gone.rs`").unwrap();
    let expected = [
        "README.md:2: `room/src/gone.rs:3` does not exist",
        "README.md:3: `room/*.rs` does not exist",
        "README.md:3: `gone/dir/` does not exist",
        "README.md:4: `gone.md` does not exist",
        "docs/math/cic.md:2: `room/src/lib.rs` does not exist",
        "room/README.md:1: `src/gone.rs` does not exist",
    ];
    assert_eq!(complaints(root.path()).unwrap(), expected);
}

#[test]
fn required_files_are_missed() {
    let root = repository("");
    fs::remove_file(root.path().join("LICENSE-MIT")).unwrap();
    assert_eq!(complaints(root.path()).unwrap(), ["LICENSE-MIT: missing"]);
}

#[test]
fn a_path_that_leaves_the_repository_has_no_normal_form() {
    assert_eq!(normal(Path::new("docs/../README.md")), Some("README.md".into()));
    assert_eq!(normal(Path::new("docs/../../README.md")), None);
}
