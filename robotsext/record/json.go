package record

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// storedRecord is the JSON form of a Record.
type storedRecord struct {
	Origin       Origin      `json:"origin"`
	Outcome      string      `json:"outcome"`
	Status       int         `json:"status,omitempty"`
	Err          string      `json:"error,omitempty"`
	Body         []byte      `json:"body,omitempty"`
	Truncated    bool        `json:"truncated,omitempty"`
	Chain        []string    `json:"chain,omitempty"`
	FetchedAt    time.Time   `json:"fetched_at"`
	ExpiresAt    time.Time   `json:"expires_at"`
	FailingSince time.Time   `json:"failing_since,omitzero"`
	RetryAt      time.Time   `json:"retry_at,omitzero"`
	Failures     int         `json:"failures,omitempty"`
	OutageMS     int64       `json:"outage_ms,omitempty"`
	Copy         *storedCopy `json:"copy,omitempty"`
	CopyLost     bool        `json:"copy_lost,omitempty"`
}

// storedCopy is the JSON form of Record.Copy.
type storedCopy struct {
	Body      []byte    `json:"body"`
	Truncated bool      `json:"truncated,omitempty"`
	FetchedAt time.Time `json:"fetched_at"`
}

// MarshalJSON encodes the record without File, which can be parsed from Body.
func (rec *Record) MarshalJSON() ([]byte, error) {
	s := storedRecord{
		Origin: rec.Origin, Outcome: rec.Outcome.String(), Status: rec.Status,
		Body: rec.Body, Truncated: rec.Truncated, Chain: rec.RedirectChain,
		FetchedAt: rec.FetchedAt, ExpiresAt: rec.ExpiresAt,
		FailingSince: rec.FailingSince, RetryAt: rec.RetryAt, Failures: rec.Failures, OutageMS: rec.Outage.Milliseconds(),
		CopyLost: rec.CopyLost,
	}
	if rec.Err != nil {
		s.Err = rec.Err.Error()
	}
	if c := rec.Copy; c != nil {
		s.Copy = &storedCopy{Body: c.Body, Truncated: c.Truncated, FetchedAt: c.FetchedAt}
		if rec.Outcome == OutcomeRules { // Body is the copy's
			s.Body = nil
		}
	}
	return json.Marshal(s)
}

// ErrDamaged is the error of a stored record that cannot be used.
var ErrDamaged = errors.New("stored record is damaged")

// UnmarshalJSON decodes the output of MarshalJSON, without File. It fails with ErrDamaged if a
// field that every record has is missing.
func (rec *Record) UnmarshalJSON(data []byte) error {
	var s storedRecord
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*rec = Record{
		Origin: s.Origin, Outcome: Outcome(max(slices.Index(outcomeNames[:], s.Outcome), 0)), Status: s.Status,
		Body: s.Body, Truncated: s.Truncated, RedirectChain: s.Chain,
		FetchedAt: s.FetchedAt, ExpiresAt: s.ExpiresAt,
		FailingSince: s.FailingSince, RetryAt: s.RetryAt, Failures: s.Failures, Outage: time.Duration(s.OutageMS) * time.Millisecond,
		CopyLost: s.CopyLost,
	}
	if rec.Outcome == 0 || rec.Origin == "" || rec.FetchedAt.IsZero() {
		return ErrDamaged
	}
	if s.Err != "" {
		rec.Err = errors.New(s.Err)
	}
	if s.Copy != nil {
		rec.Copy = &Record{Body: s.Copy.Body, Truncated: s.Copy.Truncated, FetchedAt: s.Copy.FetchedAt}
		if rec.Outcome == OutcomeRules {
			rec.Body, rec.Truncated = rec.Copy.Body, rec.Copy.Truncated
		}
	}
	return nil
}
