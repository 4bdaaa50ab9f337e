// Package usage combines what a site says about the use of its pages.
package usage
