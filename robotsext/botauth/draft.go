package botauth

import (
	"net/url"
	"time"

	"github.com/dunglas/httpsfv"
)

// A later draft may change these values.
const (
	// DirectoryPath is the well-known path of a directory.
	DirectoryPath = "/.well-known/http-message-signatures-directory"
	// DirectoryType is the media type of a directory.
	DirectoryType = "application/http-message-signatures-directory+json"
	// MaxLifetime is the longest lifetime of a signature that a Signer makes.
	MaxLifetime = 24 * time.Hour

	requestTag      = "web-bot-auth"
	directoryTag    = "http-message-signatures-directory"
	agentField      = "signature-agent"
	requestLabel    = "sig1"
	defaultLifetime = 5 * time.Minute
	maxDirectory    = 64 << 10
	maxKeys         = 64
	clockSkew       = 30 * time.Second
)

// params holds the parameters of a signature in the order of the test vectors.
func (p signatureParams) params() *httpsfv.Params {
	out := httpsfv.NewParams()
	out.Add("created", p.created.Unix())
	out.Add("keyid", p.keyID)
	out.Add("alg", "ed25519")
	out.Add("expires", p.expires.Unix())
	if p.nonce != "" {
		out.Add("nonce", p.nonce)
	}
	out.Add("tag", p.tag)
	return out
}

// An Agent is one member of a Signature-Agent field.
type Agent struct {
	Label string
	URI   string
	Type  string // directory (the default), jwks_uri or cimd
}

// ParseAgents parses the dictionary form of a Signature-Agent field.
func ParseAgents(values []string) ([]Agent, error) {
	dict, err := dictionary("Signature-Agent", values)
	if err != nil {
		return nil, err
	}
	agents := make([]Agent, 0, len(dict.Names()))
	for _, label := range dict.Names() {
		agent := Agent{Label: label, Type: "directory"}
		member, _ := dict.Get(label)
		item, ok := member.(httpsfv.Item)
		if !ok {
			return nil, fail(Malformed, "Signature-Agent %s is not a string", label)
		}
		if agent.URI, ok = item.Value.(string); !ok {
			return nil, fail(Malformed, "Signature-Agent %s is not a string", label)
		}
		if u, err := url.Parse(agent.URI); err != nil || u.Scheme != "https" || u.Host == "" {
			return nil, fail(Malformed, "Signature-Agent %s is not an https URL", label)
		}
		if kind, ok := item.Params.Get("type"); ok {
			token, ok := kind.(httpsfv.Token)
			if !ok {
				return nil, fail(Malformed, "the type of Signature-Agent %s is not a token", label)
			}
			agent.Type = string(token)
		}
		agents = append(agents, agent)
	}
	return agents, nil
}
