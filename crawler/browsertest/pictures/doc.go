// Package pictures creates the pictures of the documentation, in cmd/politecrawl/pictures.
//
//	make pictures
//
// crawls the demo site and takes screenshots of the report and of the live page in Chromium. A list of
// labels beside each picture has the tabs, headings, buttons and columns in it; the test compares the
// lists with the program.
//
// Times and ports differ between runs. So a picture is replaced only if its labels or much of it have
// changed. To replace one because of a detail, delete it first.
package pictures
