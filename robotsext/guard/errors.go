package guard

import (
	"errors"
	"fmt"
	"net/netip"
)

// ErrRefused is the class of all errors by which a connection is refused. It is found
// through what net and net/http wrap around it.
var ErrRefused = errors.New("refused")

// AddressError is the refusal of an address. It is an ErrRefused.
type AddressError struct {
	Addr netip.Addr // as it was to be connected to
	Kind Kind       // why it is refused

	// Form says how Addr stands for Inner, an address of IPv4 that Kind is of: NAT64,
	// 6to4 and so on. Empty: it stands for itself, and Inner is no address.
	Form  string
	Inner netip.Addr
}

func (e *AddressError) Error() string {
	if e.Form != "" {
		return fmt.Sprintf("address %s is not allowed (%s of %s: %s)", e.Addr, e.Form, e.Inner, e.Kind)
	}
	return fmt.Sprintf("address %s is not allowed (%s)", e.Addr, e.Kind)
}

// Unwrap returns ErrRefused.
func (e *AddressError) Unwrap() error { return ErrRefused }

// HostError is the refusal of a host that some programs take for an address and some for a
// name, so that nobody can say where a request for it goes. It is an ErrRefused.
type HostError struct {
	Host string // without the brackets and dots around it
}

func (e *HostError) Error() string {
	return fmt.Sprintf("host %q is no name, and an IP address is not written so", e.Host)
}

// Unwrap returns ErrRefused.
func (e *HostError) Unwrap() error { return ErrRefused }
