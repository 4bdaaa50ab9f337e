package botauth

import "fmt"

// A Reason says why a message is refused. Match it with errors.Is.
type Reason string

// The reasons of a refusal.
const (
	Unsigned       Reason = "message has no signature"
	Malformed      Reason = "field is malformed"
	DuplicateLabel Reason = "field repeats a label"
	WrongTag       Reason = "no signature has the required tag"
	WrongComponent Reason = "covered components are missing or unsupported"
	WrongParameter Reason = "signature parameter is missing or invalid"
	Expired        Reason = "signature has expired"
	NotYetValid    Reason = "signature was created in the future"
	LegacyAgent    Reason = "Signature-Agent has the legacy string form"
	WrongAgent     Reason = "Signature-Agent names another directory"
	UnknownKey     Reason = "directory has no such key"
	WrongAlgorithm Reason = "algorithm does not fit the key"
	WrongSignature Reason = "signature does not match the message"
	WrongDigest    Reason = "Content-Digest does not match the body"
)

// Error returns the reason as text.
func (r Reason) Error() string { return string(r) }

func fail(r Reason, format string, args ...any) error {
	return fmt.Errorf("botauth: %w: %s", r, fmt.Sprintf(format, args...))
}
