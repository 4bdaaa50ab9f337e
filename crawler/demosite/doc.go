// Package demosite is a small web site on loopback on which a polite crawler is
// shown, and judged.
package demosite
