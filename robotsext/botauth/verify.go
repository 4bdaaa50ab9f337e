package botauth

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
)

// VerifyOptions configures Verify.
type VerifyOptions struct {
	Legacy bool             // accept the legacy string form of Signature-Agent
	Now    func() time.Time // default time.Now
}

// Identity says who signed a request.
type Identity struct {
	KeyID string // thumbprint of the key
	Agent string // the covered Signature-Agent; empty if the signature covers none
	Nonce string // for callers that refuse replays
}

// Verify returns the identity of the first valid Web Bot Auth signature of req
// by a key of dir, or the reason why the first one is refused. If dir has a URL,
// the signature must cover a Signature-Agent that names it. Identity.Agent is a
// mere claim if dir has none.
func Verify(req *http.Request, dir *Directory, opts *VerifyOptions) (Identity, error) {
	var o VerifyOptions
	if opts != nil {
		o = *opts
	}
	now := time.Now()
	if o.Now != nil {
		now = o.Now()
	}
	var id Identity
	err := verifyAny(req.Header, requestTag, func(s received) error {
		id = Identity{KeyID: s.keyID, Nonce: s.nonce}
		bound := false
		return s.verify(dir, now, func(item httpsfv.Item) (string, error) {
			name, _ := item.Value.(string)
			switch name {
			case agentField:
				value, agent, err := coveredAgent(req.Header, item, o.Legacy)
				id.Agent = agent
				return value, err
			case "@authority":
				bound = true
			}
			return requestValue(req, item)
		}, func() error {
			if !bound {
				return fail(WrongComponent, "@authority is not covered")
			}
			if dir.URL != "" && id.Agent != dir.URL {
				return fail(WrongAgent, "%q", id.Agent)
			}
			return nil
		})
	})
	if err != nil {
		return Identity{}, err
	}
	return id, nil
}

func fieldValue(h http.Header, name string) string {
	values := slices.Clone(h.Values(name))
	for i, v := range values {
		values[i] = strings.TrimSpace(v)
	}
	return strings.Join(values, ", ")
}

// coveredAgent returns the signed text and the URL of a covered Signature-Agent.
func coveredAgent(h http.Header, item httpsfv.Item, legacy bool) (value, agent string, err error) {
	values := h.Values(agentField)
	if len(values) == 0 {
		return "", "", fail(WrongComponent, "Signature-Agent is covered but missing")
	}
	if strings.HasPrefix(strings.TrimSpace(values[0]), `"`) {
		old, err := httpsfv.UnmarshalItem(values)
		uri, ok := old.Value.(string)
		switch {
		case !legacy:
			return "", "", fail(LegacyAgent, "send a dictionary")
		case err != nil || !ok || len(item.Params.Names()) > 0:
			return "", "", fail(Malformed, "Signature-Agent is not a string")
		}
		return fieldValue(h, agentField), uri, nil
	}
	agents, err := ParseAgents(values)
	if err != nil {
		return "", "", err
	}
	key, _ := item.Params.Get("key")
	for _, a := range agents {
		if a.Label == key && len(item.Params.Names()) == 1 {
			dict, err := dictionary("Signature-Agent", values)
			if err != nil {
				return "", "", err
			}
			member, _ := dict.Get(a.Label)
			value, err = httpsfv.Marshal(member.(httpsfv.Item))
			return value, a.URI, err
		}
	}
	return "", "", fail(WrongComponent, "no member of Signature-Agent is covered by its key")
}

// received is a signature of a message.
type received struct {
	list      httpsfv.InnerList
	signature []byte
	keyID     string
	nonce     string
}

// verifyAny passes the signatures with a tag to check until one is valid.
func verifyAny(h http.Header, tag string, check func(received) error) error {
	if len(h.Values("Signature")) == 0 || len(h.Values("Signature-Input")) == 0 {
		return Unsigned
	}
	inputs, err := dictionary("Signature-Input", h.Values("Signature-Input"))
	if err != nil {
		return err
	}
	signatures, err := dictionary("Signature", h.Values("Signature"))
	if err != nil {
		return err
	}
	first := fail(WrongTag, "%q", tag)
	found := false
	for _, label := range inputs.Names() {
		member, _ := inputs.Get(label)
		list, ok := member.(httpsfv.InnerList)
		if !ok {
			return fail(Malformed, "Signature-Input %s is no list", label)
		}
		if t, _ := list.Params.Get("tag"); t != tag {
			continue
		}
		s := received{list: list}
		member, _ = signatures.Get(label)
		item, _ := member.(httpsfv.Item)
		if s.signature, ok = item.Value.([]byte); !ok {
			err = fail(Malformed, "Signature has no bytes for %s", label)
		} else {
			s.keyID, _ = param[string](list, "keyid")
			s.nonce, _ = param[string](list, "nonce")
			err = check(s)
		}
		if err == nil {
			return nil
		}
		if !found {
			first, found = err, true
		}
	}
	return first
}

func param[T any](list httpsfv.InnerList, name string) (T, bool) {
	v, _ := list.Params.Get(name)
	t, ok := v.(T)
	return t, ok
}

func (s received) verify(dir *Directory, now time.Time, value func(httpsfv.Item) (string, error), policy func() error) error {
	created, ok := param[int64](s.list, "created")
	expires, ok2 := param[int64](s.list, "expires")
	switch {
	case !ok || !ok2 || expires <= created || s.keyID == "":
		return fail(WrongParameter, "created, expires and keyid are required")
	case now.Add(clockSkew).Unix() < created:
		return fail(NotYetValid, "created=%d", created)
	case now.Unix() >= expires:
		return fail(Expired, "expires=%d", expires)
	}
	key, ok := dir.key(s.keyID, now)
	if !ok {
		return fail(UnknownKey, "%q", s.keyID)
	}
	if alg, given := s.list.Params.Get("alg"); given && alg != key.algorithm() {
		return fail(WrongAlgorithm, "%v", alg)
	}
	text, _, err := base(s.list, value)
	if err != nil {
		return err
	}
	if !key.verify([]byte(text), s.signature) {
		return fail(WrongSignature, "keyid %q", s.keyID)
	}
	return policy()
}
