/** Which imports a function may have, however they are spelled. */

/** Packages of the platform's own lock file. */
export const packageNames: readonly string[] = ['@supabase/supabase-js', 'zod', 'hono']

/** Modules of Node that the runtime implements. Its others are names without code: they need processes, threads, listeners or a terminal. */
export const nodeModules: readonly string[] = [
  ...['assert', 'assert/strict', 'async_hooks', 'buffer', 'console', 'constants', 'crypto'],
  ...['diagnostics_channel', 'dns', 'dns/promises', 'events', 'fs', 'fs/promises', 'http', 'https'],
  ...['module', 'net', 'os', 'path', 'path/posix', 'path/win32', 'perf_hooks', 'process', 'punycode'],
  ...['querystring', 'stream', 'stream/consumers', 'stream/promises', 'stream/web', 'string_decoder'],
  ...['sys', 'timers', 'timers/promises', 'tls', 'tty', 'url', 'util', 'util/types', 'zlib'],
]

export interface PackageImport {
  kind: 'package'
  name: string
  /** `cors` of `hono/cors`; empty for the package itself. */
  part: string
  /** The version as the import states it. */
  requested: string | undefined
}

export type ParsedImport =
  | PackageImport
  /** An import that only declares types for editors: nothing is imported. */
  | { kind: 'types' }
  /** A module of the runtime itself, which stays an import. */
  | { kind: 'builtin'; specifier: string }
  | { kind: 'file' | 'node' | 'url' | 'other' }

/** The names of JSR that differ from those of npm. */
const npmNamesOfJsr = new Map([
  ['@hono/hono', 'hono'],
  ['@zod/zod', 'zod'],
])

const hasScheme = /^[a-z][a-z0-9+.-]*:/i
/** The name, version and part of a package. */
const packagePath = /^((?:@[\w.-]+\/)?[\w.-]+)(?:@([^/]*))?(?:\/(.+))?$/
/** A part without an empty segment and without one that begins with a dot. */
const plainPart = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/

/** Reads the text between the quotes of an import, where `names` are the packages that may be imported. */
export function readImport(specifier: string, names: readonly string[] = packageNames): ParsedImport {
  if (/^(?:npm|jsr):/.test(specifier)) {
    const path = specifier.slice(4).replace(/^\//, '')
    return readPackage(path, names, specifier.startsWith('jsr:'))
  }
  const builtin = names.includes(specifier) ? undefined : builtinOf(specifier)
  if (builtin !== undefined) return { kind: 'builtin', specifier: builtin }
  if (specifier.startsWith('node:')) return { kind: 'node' }
  if (specifier.startsWith('https://esm.sh/')) return readEsmSh(specifier, names)
  if (hasScheme.test(specifier)) return { kind: 'url' }
  if (/^[./#\\]/.test(specifier)) return { kind: 'file' }
  return readPackage(specifier, names)
}

/** The name under which the runtime has a module of Node, which code may also name without `node:`. Undefined where it has none. */
export function builtinOf(specifier: string): string | undefined {
  const name = specifier.startsWith('node:') ? specifier.slice(5) : specifier
  return nodeModules.includes(name) ? `node:${name}` : undefined
}

/** Parameters of esm.sh that choose between builds, of which there is one here; any other would change what is imported. */
const harmlessQuery = /^(?:(?:target|pin)=[\w.-]*|bundle|standalone|dev|dts|no-dts|no-check|no-bundle)$/

function readEsmSh(address: string, names: readonly string[]): ParsedImport {
  const [path = '', query = ''] = address.slice('https://esm.sh/'.length).split('?', 2)
  if (query !== '' && !query.split('&').every((one) => harmlessQuery.test(one))) return { kind: 'url' }
  const found = path.replace(/^(?:v\d+|stable)\//, '')
  const isJsr = found.startsWith('jsr/')
  const read = readPackage(isJsr ? found.slice(4) : found, names, isJsr)
  return read.kind === 'other' ? { kind: 'url' } : read
}

function readPackage(path: string, names: readonly string[], isJsr = false): ParsedImport {
  const [, written = '', version, part = ''] = packagePath.exec(path) ?? []
  const name = (isJsr && npmNamesOfJsr.get(written)) || written
  if (name === '@supabase/functions-js' && part.endsWith('.d.ts')) return { kind: 'types' }
  if (!names.includes(name) || (part !== '' && !plainPart.test(part))) return { kind: 'other' }
  return { kind: 'package', name, part, requested: version }
}

const range = /^(?:\^|~|>=|=|v)?(\d{1,6})(?:\.(\d{1,6}|x|\*))?(?:\.(\d{1,6}|x|\*))?(?:[-+][\w.+-]*)?$/
const any = new Set([undefined, '', '*', 'x', 'latest'])

/**
 * Whether the requested version may mean the installed one: the same major version, and not a later one than ours. A request for an earlier version
 * gets ours, which is to work where the earlier one did.
 */
export function isVersionMet(requested: string | undefined, installed: string): boolean {
  if (any.has(requested)) return true
  const found = range.exec(requested!)
  if (!found) return false
  const [major, ...rest] = found.slice(1, 4).map((digits) => Number(digits) || 0)
  const [ourMajor, ...ourRest] = installed.split('.').map((digits) => Number.parseInt(digits, 10))
  if (major !== ourMajor) return false
  for (const [at, wanted] of rest.entries()) {
    const ours = ourRest[at] ?? 0
    if (wanted !== ours) return wanted < ours
  }
  return true
}
