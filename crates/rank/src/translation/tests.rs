//! Questions in eight languages and the English words they are searched by.

use super::*;

fn english(text: &str) -> String {
    let language = language_of(text).unwrap_or_else(|| panic!("no language: {text}"));
    english_text(&pieces(text, language))
}

#[test]
fn one_question_in_eight_languages_is_the_same_in_english() {
    let questions = [
        "数据库连接超时后在哪里重试？",
        "データベース接続のタイムアウト後に再試行するのはどこ",
        "데이터베이스 연결 시간 초과 후 어디에서 재시도하나요",
        "¿dónde se reintenta la conexión a la base de datos tras el tiempo de espera?",
        "onde a conexão com o banco de dados é retentada após o tempo limite",
        "où la connexion à la base de données est-elle réessayée après le délai d'attente",
        "wo wird die Datenbankverbindung nach einer Zeitüberschreitung erneut versucht",
        "где повторяется подключение к базе данных после тайм-аута",
    ];
    for question in questions {
        let words = english(question);
        for word in ["database", "connection", "timeout"] {
            assert!(words.contains(word), "{question}: {words}");
        }
        assert!(words.contains("retry") || words.contains("again"), "{question}: {words}");
    }
}

#[test]
fn names_paths_and_words_of_other_scripts_are_untouched() {
    assert_eq!(english("HttpClient在哪里设置timeout"), "HttpClient set timeout");
    assert_eq!(english("где HttpClient.send задаёт заголовки"), "HttpClient.send set header");
    assert_eq!(
        english("wo liest `parse_config` die Datei src/main.rs"),
        "read `parse_config` file src/main.rs"
    );
    let kept = kept_text(&pieces("HttpClient在哪里设置timeout", Language::Chinese));
    assert_eq!(kept, "HttpClient timeout");
}

#[test]
fn phrases_win_over_their_words() {
    assert_eq!(english("¿dónde se guarda la contraseña por defecto?"), "save password default");
    assert_eq!(english("comment le mot de passe est-il haché"), "password hash");
}

#[test]
fn unknown_words_of_the_same_alphabet_stay() {
    assert_eq!(english("wo wird der Hikari Pool geschlossen"), "Hikari pool close");
}
