//! Configurations that stop a start, with their messages.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use crate::support::{Database, Outcome, twinlab};

#[test]
fn a_value_that_cannot_work_stops_the_start_with_one_line_naming_the_variable() {
    for (variable, value, explanation) in [
        ("PORT", "http", "PORT cannot be 'http': invalid digit found in string"),
        ("PORT", "70000", "PORT cannot be '70000': 70000 is not in 0..=65535"),
        ("HOST", "my host", "HOST is not an address to listen on"),
        ("DATABASE_URL", "mysql://db/x", "DATABASE_URL must start with postgres:// or postgresql://"),
        ("DATABASE_URL", "localhost", "DATABASE_URL is not a URL: relative URL without a base"),
        (
            "DATABASE_URL",
            "postgres://db/x?sslmode=allow",
            "DATABASE_URL has sslmode=allow; it takes disable, prefer, require, verify-ca, verify-full",
        ),
        (
            "DATABASE_URL",
            "postgres://db/x?sslmode=verify-ca",
            "DATABASE_URL has sslmode=verify-ca without sslrootcert, the file of the certificate",
        ),
        ("PUBLIC_URL", "ftp://lab.example", "PUBLIC_URL must start with http:// or https://"),
        (
            "CORS_ORIGINS",
            "https://lab.example,*",
            "CORS_ORIGINS takes origins such as https://lab.example, separated by commas",
        ),
        (
            "CORS_ORIGINS",
            "https://lab.example/pages",
            "CORS_ORIGINS takes origins such as https://lab.example, separated by commas",
        ),
        ("JWT_SECRET", "hunter2", "JWT_SECRET is 7 bytes long; it takes 32 or more"),
        ("SUPER_ADMIN_EMAIL", "ada", "SUPER_ADMIN_EMAIL is not an e-mail address"),
        ("SMTP_URL", "https://mail.example", "SMTP_URL must start with smtp:// or smtps://"),
        ("SMTP_URL", "smtp://mail.example", "MAIL_FROM is needed with SMTP_URL: the sender of mails"),
        ("MAIL_FROM", "the lab", "MAIL_FROM is not an e-mail address"),
        ("CONTACT_EMAIL", "@", "CONTACT_EMAIL is not an e-mail address"),
        ("OPENAI_BASE_URL", "api.openai.com/v1", "OPENAI_BASE_URL is not a URL: relative URL without a base"),
        (
            "OPENAI_API_KEY",
            "sk-secret\nsk-more",
            "OPENAI_API_KEY holds a blank, a line break or another character that no key has",
        ),
        ("LLM_WIRE", "azure", "LLM_WIRE cannot be 'azure'; it takes openai, anthropic, gemini"),
        ("LLM_MODEL", "  ", "LLM_MODEL is not the name of a model"),
        ("LLM_MODELS", "a,  ", "LLM_MODELS takes 1 to 200 printable characters"),
        (
            "TRUSTED_PROXIES",
            "10.0.0.0/8,proxy.example",
            "TRUSTED_PROXIES \"proxy.example\" is neither an address nor a network such as 10.0.0.0/8",
        ),
        ("METRICS_TOKEN", "short", "METRICS_TOKEN takes 16 bytes or more"),
        ("LLM_RPM", "0", "LLM_RPM cannot be '0': 0 is not in 1..=4294967295"),
        ("LLM_TPM", "-1", "LLM_TPM cannot be '-1': -1 is not in 1..=4294967295"),
        ("LLM_MAX_CONCURRENCY", "many", "LLM_MAX_CONCURRENCY cannot be 'many': invalid digit found in string"),
        ("LLM_QUESTIONS_PER_CALL", "0", "LLM_QUESTIONS_PER_CALL cannot be '0': 0 is not in 1..=65535"),
        ("LLM_TIMEOUT_S", "1.5", "LLM_TIMEOUT_S cannot be '1.5': invalid digit found in string"),
        ("LLM_MAX_ATTEMPTS", "0", "LLM_MAX_ATTEMPTS cannot be '0': 0 is not in 1..=65535"),
        ("LOG_FORMAT", "xml", "LOG_FORMAT cannot be 'xml'; it takes text, json"),
    ] {
        let outcome = Outcome::of(twinlab().arg("migrate").env(variable, value));
        assert_eq!(outcome.only_line(), format!("twinlab: {explanation}"));
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    }
}

#[test]
fn a_file_of_prices_that_cannot_be_read_stops_the_start_with_one_line_naming_the_key_in_it() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("prices.json");
    for (content, explanation) in [
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("3", "invalid type: integer `3`, expected struct PriceFile at line 1 column 1"),
        (r#"{"currency": "USD"}"#, "missing field `models` at line 1 column 19"),
        (r#"{"models": {}}"#, "missing field `currency` at line 1 column 14"),
        (r#"{"currency": " ", "models": {}}"#, "currency: not a currency: a name such as USD at line 1 column 16"),
        (
            r#"{"currency": "USD", "models": {}, "price": 1}"#,
            "price: unknown field `price`, expected `currency` or `models` at line 1 column 41",
        ),
        (
            r#"{"currency": "USD", "models": {"m": {"prompt": 1}}}"#,
            "models.m: missing field `completion` at line 1 column 49",
        ),
        (
            r#"{"currency": "USD", "models": {"m": {"prompt": -1, "completion": 2}}}"#,
            "models.m.prompt: -1 is not a price: a number from 0 to 1000000 with at most six decimals at line 1 column 49",
        ),
        (
            r#"{"currency": "USD", "models": {"m": {"prompt": 1, "completion": 2, "batch": {"prompt": 1, "completion": "2"}}}}"#,
            "models.m.batch.completion: invalid type: string \"2\", expected f64 at line 1 column 107",
        ),
    ] {
        fs::write(&file, content).expect("the folder can be written");
        let outcome = Outcome::of(twinlab().arg("migrate").env("LLM_PRICES", &file));
        assert_eq!(outcome.only_line(), format!("twinlab: LLM_PRICES {}: {explanation}", file.display()));
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    }
    let outcome = Outcome::of(twinlab().arg("migrate").env("LLM_PRICES", folder.path().join("none.json")));
    assert!(outcome.only_line().starts_with("twinlab: LLM_PRICES "), "{outcome:#?}");
    assert_eq!(outcome.code, Some(2), "{outcome:#?}");
}

#[test]
fn thresholds_that_cannot_be_read_name_their_variable() {
    for (json, reason) in [
        ("0.7", "invalid type: floating point `0.7`, expected struct Thresholds at line 1 column 3"),
        (r#"{"modal": 0.7}"#, "unknown field `modal`, expected one of `modal_share`"),
    ] {
        let outcome = Outcome::of(twinlab().arg("migrate").env("DIAGNOSTIC_THRESHOLDS", json));
        let expected = format!("twinlab: DIAGNOSTIC_THRESHOLDS cannot be read: {reason}");
        assert!(outcome.only_line().starts_with(&expected), "{outcome:#?}");
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    }
}

#[test]
fn a_log_filter_that_cannot_be_read_names_its_variable() {
    let outcome = Outcome::of(twinlab().arg("migrate").env("RUST_LOG", "twinlab=loud"));
    assert!(outcome.only_line().starts_with("twinlab: RUST_LOG is not a log filter: "), "{outcome:#?}");
    assert_eq!(outcome.code, Some(2));
}

#[test]
fn a_flag_wins_over_its_variable_and_an_empty_variable_is_unset() {
    let database = Database::new();
    let outcome = Outcome::of(
        twinlab()
            .args(["migrate", "--port", "9000"])
            .env("PORT", "")
            .env("JWT_SECRET", "")
            .env("DATABASE_URL", database.url()),
    );
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let outcome = Outcome::of(
        twinlab()
            .args(["migrate", "--database-url", database.url()])
            .env("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none"),
    );
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
}

#[test]
fn a_file_dot_env_is_read_and_a_bad_line_of_it_is_told_without_its_value() {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join(".env"), "PORT=seven\n").expect("the folder can be written");
    let outcome = Outcome::of(twinlab().arg("migrate").current_dir(folder.path()));
    assert_eq!(outcome.only_line(), "twinlab: PORT cannot be 'seven': invalid digit found in string");

    fs::write(folder.path().join(".env"), "PORT=8080\nJWT_SECRET=not quoted at all\n")
        .expect("the folder can be written");
    let outcome = Outcome::of(twinlab().arg("migrate").current_dir(folder.path()));
    assert_eq!(
        outcome.only_line(),
        "twinlab: .env: the line after PORT cannot be read; a value with blanks goes in quotes"
    );
    assert_eq!(outcome.code, Some(2));
}

#[test]
fn words_that_are_no_command_are_told_in_one_line() {
    for (words, explanation) in [
        (vec!["dance"], "unrecognized subcommand 'dance'"),
        (vec!["serve", "--fast"], "unexpected argument '--fast' found"),
        (
            vec!["serve", "--role", "king"],
            "invalid value 'king' for '--role <ROLE>' [possible values: all, web, worker]",
        ),
        (vec!["user", "create", "--role", "admin"], "the following required arguments were not provided: <EMAIL>"),
    ] {
        let outcome = Outcome::of(twinlab().args(words));
        assert_eq!(outcome.only_line(), format!("twinlab: {explanation}"));
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    }
}

#[test]
fn help_names_every_variable_with_its_default_and_shows_no_secret() {
    let outcome = Outcome::of(twinlab().arg("--help").env("JWT_SECRET", "s3cret").env("OPENAI_API_KEY", "s3cret"));
    assert_eq!(outcome.code, Some(0));
    for expected in ["env: DATABASE_URL", "env: LLM_TPM", "default: 127.0.0.1", "default: 8080", "gpt-4.1-mini"] {
        assert!(outcome.stdout.contains(expected), "{expected} is missing in {}", outcome.stdout);
    }
    assert!(!outcome.stdout.contains("s3cret"), "{}", outcome.stdout);
}

#[test]
fn a_database_that_cannot_be_reached_is_told_in_one_line_without_its_password() {
    for hosts in ["127.0.0.1:1", "127.0.0.1:1,127.0.0.1:2"] {
        let url = format!("postgres://ada:hunter2@{hosts}/twinlab?target_session_attrs=read-write");
        let outcome = Outcome::of(twinlab().arg("migrate").env("DATABASE_URL", url));
        assert!(outcome.only_line().starts_with("twinlab: cannot reach the database: "), "{outcome:#?}");
        assert!(!outcome.stderr.contains("hunter2"), "{outcome:#?}");
        assert_eq!(outcome.code, Some(1));
    }
}

#[test]
fn a_secret_for_sessions_is_made_once_and_only_its_owner_may_read_it() {
    use clap::Parser;
    use twinlab::config::{Config, Options};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    let folder = TempDir::new().expect("a temporary folder");
    let line = Line::parse_from(["twinlab".as_ref(), "--data-dir".as_ref(), folder.path().as_os_str()]);
    let config = Config::try_from(line.options).expect("the defaults work");
    let first = config.session_secret().expect("a secret is made");
    assert_eq!(config.session_secret().expect("it is there"), first);
    assert!(first.expose().len() >= 32);
    let file = fs::metadata(folder.path().join("jwt_secret")).expect("it is kept");
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    assert!(!format!("{config:?} {first:?}").contains(first.expose()));
}
