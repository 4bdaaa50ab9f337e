package guard

import (
	"errors"
	"fmt"
	"net/netip"
)

// ErrRefused is matched, with errors.Is, by every error of a refused connection, even
// if net or net/http wraps it.
var ErrRefused = errors.New("refused")

// AddressError reports a refused address. It wraps ErrRefused.
type AddressError struct {
	Addr netip.Addr // the refused address
	Kind Kind       // why it is refused

	// Form says how Addr embeds the IPv4 address Inner, such as NAT64 or 6to4. Kind is
	// then the kind of Inner. If Addr embeds no address, Form is empty and Inner is zero.
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

// HostError reports a host that some programs read as an address and others as a name,
// so that its target is unknown. It wraps ErrRefused.
type HostError struct {
	Host string // without brackets and trailing dots
}

func (e *HostError) Error() string {
	return fmt.Sprintf("host %q is neither a valid name nor a valid IP address", e.Host)
}

// Unwrap returns ErrRefused.
func (e *HostError) Unwrap() error { return ErrRefused }
