// Package csvout writes the results of a crawl as CSV tables, such as pages.csv and links.csv.
// COLUMNS.md lists them with their columns. It is a format of package output.
//
// RFC 4180 describes CSV, but not encoding, empty cells and lists. In these files:
//
//   - The first record has the names of the columns: the JSON fields, in their order. They are
//     the same for every crawl, so tables of several crawls can be concatenated.
//   - Records end with CR LF and contain no line breaks, so tail, grep and split work.
//   - The encoding is UTF-8 without a byte order mark. Invalid UTF-8 and control characters
//     become U+FFFD. Tabs and line breaks become spaces. Characters that change the direction of text
//     are escaped as in JSON, such as \u202e.
//   - A cell is empty if the JSON line lacks the field. Booleans are true or false. Times are
//     RFC 3339 in UTC.
//   - Lists and objects (directives, fields, limits_reached, statements) are JSON in one cell.
//
// # Formulas
//
// Spreadsheets treat a cell that begins with = + - or @ as a formula, even within quotes. A
// page title like =HYPERLINK(...) could then run on the reader's computer. So such a string gets
// an apostrophe in front, which marks it as text. The check also catches formulas behind spaces
// or quotes, and full-width variants such as ＝.
//
// In many countries spreadsheets use the semicolon as separator, even within quotes. So the
// text after each semicolon gets the same treatment: x;=1 becomes x;'=1. In cells with JSON a
// semicolon is written as \u003b.
//
// To restore the original text, remove one apostrophe at the beginning and after each
// semicolon, if =, +, - or @ follows (after further apostrophes, quotes or spaces).
// [Options.KeepFormulas] leaves strings unchanged, for programs.
//
// # Resuming
//
// The files only grow. The checkpoint of a commit is their lengths. A crawl that resumes truncates
// them to these lengths. If a table is missing, has lost rows, or lacks columns of this version, the
// crawl rewrites all tables from its JSON files.
package csvout
