// Package robotstxt parses robots.txt files and tells which URLs they allow.
package robotstxt
