/** The program's first file: whatever is imported after the compile cache is on starts from it, so that all else is imported by run.ts. */
import { keepCompiled } from '#platform/compiled'
import { readEnv } from '#platform/env'

keepCompiled(readEnv(process.env).dataDir)
await import('./run.ts')
