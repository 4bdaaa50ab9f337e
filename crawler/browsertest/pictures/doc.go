// Package pictures creates the pictures of the documentation, in cmd/politecrawl/pictures.
//
//	make pictures
//
// crawls the demo site and takes screenshots in Chromium: of the terminal during and after the
// crawl, of the report, and of the live page.
//
// Times and ports differ between runs. So a picture is replaced only if much of it has changed. To
// replace one because of a detail, delete it first.
package pictures
