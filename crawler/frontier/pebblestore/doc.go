// Package pebblestore is a frontier in a directory.
package pebblestore
