/** The server as `src/main.ts` starts it, whose clocks a test may move (`control.ts`). */
import './control.ts'

await import('../../src/main.ts')
