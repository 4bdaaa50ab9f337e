package cluster

import (
	"encoding/json"
	"strings"
	"testing"
)

// The identity is a directory on the machine of a worker, so each worker has its own.
func TestIdentityIsAnOwnKey(t *testing.T) {
	text, err := Settings{"identity": json.RawMessage(`"/home/one/identity"`), "delay": json.RawMessage("1")}.shared()
	if err != nil || strings.Contains(string(text), "identity") || !strings.Contains(string(text), "delay") {
		t.Errorf("%s %v", text, err)
	}
}
