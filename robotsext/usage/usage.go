package usage

import (
	"fmt"
	"slices"
	"strings"
)

// Purpose is a use of the content of a page. The table in the package documentation says
// which signals concern it.
type Purpose string

// The purposes.
const (
	Search  Purpose = "search"   // finding pages, and directing users to them
	AIInput Purpose = "ai-input" // input of generative AI: grounding, summaries, answers
	TrainAI Purpose = "train-ai" // training and fine-tuning of AI models
	TDM     Purpose = "tdm"      // text and data mining (Directive (EU) 2019/790, article 4); contains TrainAI
	Archive Purpose = "archive"  // keeping and offering a copy
)

// Purposes lists all purposes in the order of tables and records.
var Purposes = [...]Purpose{Search, AIInput, TrainAI, TDM, Archive}

// ParsePurpose returns the purpose with this name. The error lists the valid names.
func ParsePurpose(name string) (Purpose, error) {
	if p := Purpose(name); slices.Contains(Purposes[:], p) {
		return p, nil
	}
	names := make([]string, len(Purposes))
	for i, p := range Purposes {
		names[i] = string(p)
	}
	return "", fmt.Errorf("unknown purpose %q; use one of %s", name, strings.Join(names, ", "))
}

// Value is a preference for one purpose. A higher value wins when statements are merged.
type Value uint8

// The values (draft-ietf-aipref-vocab, section 3).
const (
	Unknown Value = iota // nothing is stated
	Allowed
	Disallowed
)

var valueNames = [...]string{"unknown", "allowed", "disallowed"}

// String returns "unknown", "allowed" or "disallowed".
func (v Value) String() string { return valueNames[v] }

// MarshalText returns the name of the value.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name of a value.
func (v *Value) UnmarshalText(text []byte) error {
	i := slices.Index(valueNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown value %q of a preference; use one of %s", text, strings.Join(valueNames[:], ", "))
	}
	*v = Value(i)
	return nil
}

// Verdict is the merged value for one purpose.
type Verdict struct {
	Value     Value `json:"value"`
	Statement int   `json:"statement"` // number of the deciding statement in the merged list, from 1
}

// Verdicts holds the verdicts of a page. A purpose without an entry is Unknown.
type Verdicts map[Purpose]Verdict

// Merge combines all statements about a page (draft-ietf-aipref-vocab, section 5.1). For
// each purpose any disallow wins, else any allow, else the purpose is unknown. The first
// statement with that value decides. See [Counting] for the statements that count. Merge
// returns nil if no purpose is decided.
func Merge(statements []Statement) Verdicts {
	var verdicts Verdicts
	for i, s := range Counting(statements) {
		for purpose, value := range s.Values {
			if value > verdicts[purpose].Value {
				if verdicts == nil {
					verdicts = Verdicts{}
				}
				verdicts[purpose] = Verdict{value, i + 1}
			}
		}
	}
	return verdicts
}
