/** Compiles what a developer sends into one module that runs without anything beside it. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ConfinedRunner, type FindIsolation, openConfinement } from '#platform/confined'
import { fail, type Localized } from '#platform/errors'
import type { Log } from '#platform/log'
import type { CompileReport, CompileTask, UsedPackage } from './compile-process.ts'
import { installedPackages, type OperatorPackage } from './operator-packages.ts'
import '../phrases.ts'
import { packageNames } from './packages.ts'
import { faultSentence, sentences } from './phrases.ts'
import type { Mappings, SourcePosition } from './source-map.ts'

export type { UsedPackage } from './compile-process.ts'

export interface CompiledModule {
  /** One ES module without imports. */
  bundle: string
  /** Maps each place of the bundle to its place in the code. */
  mappings: Mappings
  packages: UsedPackage[]
}

export interface FunctionCompiler {
  /** Throws FUNCTION_CODE_INVALID, FUNCTIONS_BUSY, and the signal's reason. */
  compile(
    source: { code: string; isTypeScript: boolean },
    from: { accountId: string; signal: AbortSignal },
  ): Promise<CompiledModule>
}

/** The most bytes of a bundle: three times what all packages and the longest code come to. */
const maxBundleBytes = 4_000_000
const timeoutMs = 10_000
const places = { working: 2, waiting: 32 }
/** Deep nesting takes a stack of hundreds of megabytes; code that takes more is refused. */
const memoryMb = 768

const module = path.join(import.meta.dirname, 'compile-process.ts')

export interface CompilerOptions {
  log: Log
  dataDir: string
  /** The packages of the operator. */
  packages: readonly OperatorPackage[]
  isolation?: FindIsolation | undefined
}

export function openFunctionCompiler({
  log,
  dataDir,
  packages,
  isolation,
}: CompilerOptions): FunctionCompiler {
  const confine = openConfinement(log, places, isolation)
  const names = packages.map(({ name }) => name)
  const allowed = [...packageNames, ...names]
  return {
    async compile(source, { accountId, signal }) {
      const operator = {
        names,
        folder: names.length > 0 ? await installedPackages(dataDir, packages) : undefined,
      }
      const report = await run(confine, { ...source, home: home(), operator }, { accountId, signal })
      if ('fault' in report) return refuseCode(faultSentence(report.fault, allowed), report.place)
      if (Buffer.byteLength(report.bundle) > maxBundleBytes) return refuseCode(sentences.tooLarge, undefined)
      return report
    },
  }
}

async function run(
  confine: ConfinedRunner,
  input: CompileTask,
  from: { accountId: string; signal: AbortSignal },
): Promise<CompileReport> {
  const outcome = await confine({
    module,
    input,
    ...from,
    timeoutMs,
    memoryMb,
    // The bundle and its mappings as JSON.
    maxOutputBytes: 4 * maxBundleBytes,
    ...(input.operator.folder !== undefined && { files: [input.operator.folder] }),
    startsPrograms: true,
    keepsSpare: true,
  })
  if ('value' in outcome) return outcome.value as CompileReport
  if (outcome.lost === 'busy') return fail('FUNCTIONS_BUSY', {})
  return refuseCode(faultSentence({ kind: 'heavy' }, []), undefined)
}

/** Throws FUNCTION_CODE_INVALID. */
export const refuseCode = (why: Localized, place: SourcePosition | undefined): never =>
  fail('FUNCTION_CODE_INVALID', { why, ...place }, { param: 'code', ...(place && { details: { ...place } }) })

/** The folder that has the `node_modules` of this installation. */
const home = (): string => {
  const place = fileURLToPath(import.meta.resolve('hono'))
  return place.slice(0, place.indexOf(`${path.sep}node_modules${path.sep}`))
}
