//go:build unix

package descriptors

import "syscall"

// Limit returns how many descriptors this process may have. Go has raised the limit as
// far as it may be raised when the process began.
func Limit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > Unlimited {
		return Unlimited
	}
	return int(limit.Cur)
}
