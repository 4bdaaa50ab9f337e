// Package disktest simulates a full disk.
package disktest
