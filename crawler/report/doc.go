// Package report says what a crawl found, in a page for people and a file for
// programs.
package report
