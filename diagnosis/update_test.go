package diagnosis

import _ "github.com/sebdah/goldie/v2" // for the flag -update
