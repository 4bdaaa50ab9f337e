// Package pictures makes the pictures of the documentation, cmd/politecrawl/pictures.
//
//	make pictures
//
// runs the program over the demo site and takes them in Chromium: of a terminal while
// the crawl runs and when it is over, of the report, of the dashboard. Nothing on them
// is drawn by hand.
//
// Times and ports differ from one run to the next. So a picture is replaced only when
// much of it has changed, and a commit that changes one means it. To have one made
// anew for the sake of a detail, remove it first.
package pictures
