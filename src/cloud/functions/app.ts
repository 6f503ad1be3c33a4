import type { Clock } from '#platform/clock'
import type { Config } from '#platform/config'
import type { Db } from '#platform/db'
import type { Log } from '#platform/log'
import type { Secrets } from '#platform/secrets'
import type { FunctionCompiler } from './compile/compile.ts'
import type { FunctionRuntime } from './functions.ts'
import type { PlatformFunctions } from './source.ts'

/** The slice of the app that the code of functions uses: how it is deployed, which secrets it reads, and where its lines go. */
export interface FunctionsApp {
  clock: Clock
  config: Config
  db: Db
  /** Compiles the code that developers send into the code that runs. */
  functionCompiler: FunctionCompiler
  /** The code that functions run, and the lines that they have written. */
  functionSource: PlatformFunctions
  /** Runs the functions of clouds. */
  functions: FunctionRuntime
  log: Log
  /** Encrypts the secrets of functions. */
  secrets: Secrets
}
