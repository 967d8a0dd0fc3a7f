//! Sections of documents that commands write, between lines `<!-- begin NAME -->` and `<!-- end NAME -->`.

/// Returns the text before a section, in it and after it. The lines that begin and end the section are not in its text.
pub fn section<'a>(text: &'a str, name: &str) -> Result<(&'a str, &'a str, &'a str), String> {
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->"));
    let missing = || format!("the document has no section {name}");
    let from = text.find(&begin).ok_or_else(missing)? + begin.len();
    let to = from + text[from..].find(&end).ok_or_else(missing)?;
    Ok((&text[..from], &text[from..to], &text[to..]))
}
