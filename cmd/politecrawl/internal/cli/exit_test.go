package cli

import "testing"

func TestWorse(t *testing.T) {
	order := []int{ExitInterrupted, ExitMisuse, ExitFailed, ExitFindings, ExitLater, ExitDone}
	for i, a := range order {
		for _, b := range order[i:] {
			if Worse(a, b) != a || Worse(b, a) != a {
				t.Errorf("of %d and %d, %d and %d are said to be worse", a, b, Worse(a, b), Worse(b, a))
			}
		}
	}
}
