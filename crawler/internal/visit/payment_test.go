package visit

import "testing"

// FuzzLicenseChallenge: a challenge is found whatever others are around it.
func FuzzLicenseChallenge(f *testing.F) {
	f.Add(`Basic realm="a, b"`, `License error="x\"y"`)
	f.Add("Negotiate abc==", `x="`)
	f.Add(`\`, ",,")
	f.Fuzz(func(t *testing.T, before, after string) {
		licenseChallenge([]string{before + "," + after, after})
		code, found := licenseChallenge([]string{`Basic realm="x", License realm = "y" , error="a\"b", ` + after, before})
		if !found || code != `a"b` {
			t.Errorf("%q, %t", code, found)
		}
		_, first := licenseChallenge([]string{before})
		if _, second := licenseChallenge([]string{before, "License"}); !second || first && !second {
			t.Errorf("License after %q is not found", before)
		}
	})
}
