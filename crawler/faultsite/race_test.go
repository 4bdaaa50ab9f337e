//go:build race

package faultsite_test

const raceEnabled = true
