package jsonscan_test

import _ "github.com/sebdah/goldie/v2" // registers -update
