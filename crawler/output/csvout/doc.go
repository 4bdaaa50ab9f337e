// Package csvout writes what a crawl finds as tables for spreadsheets and for
// programs that read CSV: pages.csv, rejected.csv, links.csv, sitemaps.csv and
// entries.csv, as a format of package output.
//
// CSV is described by RFC 4180, which leaves open what most matters to a reader:
// the encoding, what an empty cell means, where a list goes. Here it is so:
//
//   - The first record holds the names of the columns. They are those of the lines
//     of JSON, in their order, and the same for every crawl, so that tables of
//     several crawls can be put below each other. In links.csv each record is one
//     link, with the columns from and to.
//   - Records end with CR LF, and none has a line break within, so a file has as
//     many lines as records: tail, grep and split do what one expects.
//   - The encoding is UTF-8, without a byte order mark. What a site sends that is
//     not UTF-8, and control characters, become U+FFFD; tabs and line breaks become
//     spaces.
//   - A cell is empty where the line of JSON leaves the field out. Truth is true or
//     false, times are in UTC as in RFC 3339.
//   - What is a list or an object in JSON (directives, content_usage, fields, cut_by) is that
//     JSON in one cell. Columns of their own for the fields of extract rules would
//     depend on which pages have which.
//
// # Formulas
//
// A spreadsheet takes a cell that begins with = + - or @ for a formula, whatever
// quotes there are around it. So a title like =HYPERLINK(...) makes a site's text a
// program on the machine of whoever opens the table. Every text that begins so, also
// behind spaces or quotes or in full-width characters, gets an apostrophe before it,
// which spreadsheets take for "this is text".
//
// In much of the world spreadsheets take semicolons for the separator, and with it what
// stands behind one for a cell, even within quotes. So the same is done behind every
// semicolon of a text: x;=1 becomes x;'=1. In the cells of JSON a semicolon is written
// as \u003b.
//
// To get the text of a site back, remove one apostrophe, at the beginning and behind
// every semicolon, where behind apostrophes, quotes and spaces there is one of these
// characters. [Options.KeepFormulas] leaves the texts as they are, for programs.
//
// # Going on
//
// The files only grow. The mark that a commit returns is how long they are; a crawl
// that was killed goes on there, and what was written later is cut off. Where a table has
// lost rows, or columns were added since, the crawl writes all of them anew from the lines
// of JSON.
package csvout
