package outline

import (
	"os"
	"testing"
)

func TestShow(t *testing.T) {
	for _, f := range []string{os.Getenv("SHOW")} {
		src, _ := os.ReadFile(f)
		t.Log("\n" + Text(Language(f, src), src))
	}
}
