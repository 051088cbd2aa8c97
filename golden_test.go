package karat_test

import (
	"testing"

	"github.com/sebdah/goldie/v2"
	"github.com/stretchr/testify/require"

	"github.com/karat-eval/karat/diagnosis"
	"github.com/karat-eval/karat/evaluation/evaltest"
	"github.com/karat-eval/karat/retrieval"
)

func TestRetrievalGolden(t *testing.T) {
	suite, err := retrieval.Open("testdata/retrieval", retrieval.Options{K: 5})
	require.NoError(t, err)
	evaltest.Run(t, suite, goldie.New(t, goldie.WithFixtureDir("golden/retrieval"), goldie.WithNameSuffix("")),
		evaltest.Gate("testdata/retrieval/gate.yaml"))
}

func TestDiagnosisGolden(t *testing.T) {
	suite, err := diagnosis.Open("testdata/diagnosis", diagnosis.Options{})
	require.NoError(t, err)
	evaltest.Run(t, suite, goldie.New(t, goldie.WithFixtureDir("golden/diagnosis"), goldie.WithNameSuffix("")))
}

func TestEveryPreservedFileIsAssertedByATest(t *testing.T) {
	evaltest.NoOrphans(t, "golden",
		"retrieval/baseline.json", "retrieval/baseline.md",
		"diagnosis/baseline.json", "diagnosis/baseline.md")
}
