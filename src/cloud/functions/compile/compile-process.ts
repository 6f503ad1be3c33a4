/** Makes one module of the code of a function and the packages that it imports. Started by compile.ts; none of the code runs here. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as esbuild from 'esbuild'
import { runConfinedWork } from '#platform/confined-process'
import { builtinOf, isVersionMet, type PackageImport, packageNames, readImport } from './packages.ts'
import { type Mappings, mappingsOf, type SourcePosition } from './source-map.ts'

export interface CompileTask {
  code: string
  /** Whether the code is TypeScript, which is more than JavaScript with types: enums and decorators become code. */
  isTypeScript: boolean
  /** The folder that has `node_modules` of the platform. */
  home: string
  /** The packages of the operator, and the folder that has their `node_modules`, once they are installed. */
  operator: { names: readonly string[]; folder: string | undefined }
}

/** A package that became part of the bundle. */
export interface UsedPackage {
  name: string
  version: string
  /** The version as the import states it; null where it states none. */
  requested: string | null
}

export type Fault =
  | { kind: 'syntax'; message: string }
  | { kind: 'typescript' | 'require' | 'attributes' | 'heavy' }
  /** Without a specifier where the code makes the name while it runs. */
  | { kind: 'dynamic'; specifier?: string }
  | { kind: 'file' | 'node' | 'url' | 'other' | 'absent' | 'part' | 'runtime'; specifier: string }
  | { kind: 'version'; specifier: string; installed: string }

export type CompileReport =
  | { bundle: string; mappings: Mappings; packages: UsedPackage[] }
  | { fault: Fault; place: SourcePosition | undefined }

/** Warnings that nobody reads. Each repeats its line, so thousands of them in code of a single line would take gigabytes. */
const silencedWarnings = Object.fromEntries(
  [
    'assert-to-with assert-type-json assign-to-define bigint call-import-namespace class-name-will-throw commonjs-variable-in-esm',
    'delete-super-property different-path-case direct-eval duplicate-case duplicate-class-member duplicate-object-key',
    'empty-import-meta equals-nan equals-negative-zero equals-new-object html-comment-in-js ignored-bare-import ignored-dynamic-import',
    'import-is-undefined impossible-typeof indirect-require private-name-will-throw require-resolve-not-external semicolon-after-return',
    'sections-unsupported source-map suspicious-boolean-not suspicious-define suspicious-logical-operator suspicious-nullish-coalescing',
    'this-is-undefined-in-esm unsupported-jsx-comment unsupported-regexp unsupported-source-map-comment invalid-source-mappings',
    'missing-source-map invalid-source-url',
  ]
    .join(' ')
    .split(' ')
    .map((id) => [id, 'silent' as const]),
)

/** The namespace of the developer's file among the sources of a bundle. */
const namespace = 'function'
const fileName = 'index.js'
const source = `${namespace}:${fileName}`

async function compile(task: CompileTask): Promise<CompileReport> {
  const build = new Build(task)
  const report = await build.run()
  if (!('fault' in report) || report.fault.kind !== 'runtime' || report.place) return report
  // A part of a package needs another runtime: the code is built again with that import refused, which gives its place.
  return build.run(report.fault.specifier)
}

class Build {
  readonly #code: string
  readonly #home: string
  readonly #operator: CompileTask['operator']
  readonly #loader: 'js' | 'ts'
  readonly #used = new Map<string, UsedPackage>()
  /** The imports of the developer, by the folder in which each lies. */
  readonly #folders = new Map<string, string>()
  /** The imports of the developer by file, for all files of the operator's packages and of what these import. */
  readonly #files = new Map<string, string>()
  readonly #resolved = new Map<string, Promise<esbuild.OnResolveResult>>()
  #refused: string | undefined
  #hasFault = false

  constructor({ code, home, operator, isTypeScript }: CompileTask) {
    this.#code = code
    this.#home = home
    this.#operator = operator
    this.#loader = isTypeScript ? 'ts' : 'js'
  }

  async run(refused?: string): Promise<CompileReport> {
    this.#refused = refused
    this.#hasFault = false
    this.#resolved.clear()
    try {
      const { outputFiles, metafile } = await esbuild.build(this.#options())
      this.#checkInputs(metafile)
      const foreign = foreignImport(metafile)
      if (foreign !== undefined) return { fault: { kind: 'other', specifier: foreign }, place: undefined }
      const text = (ending: string) => outputFiles.find((file) => file.path.endsWith(ending))!.text
      const map = JSON.parse(text('.map')) as { sources: string[]; mappings: string }
      const mappings = mappingsOf(map.mappings, map.sources.indexOf(source))
      return { bundle: text('.js'), mappings, packages: [...this.#used.values()] }
    } catch (error) {
      if (isServiceGone(error)) return { fault: { kind: 'heavy' }, place: undefined }
      if (!isBuildFailure(error)) throw error
      return await this.#reportOf(error.errors)
    }
  }

  #options() {
    return {
      entryPoints: [fileName],
      outfile: 'bundle.js',
      absWorkingDir: this.#home,
      bundle: true,
      format: 'esm',
      platform: 'browser',
      conditions: ['workerd', 'worker'],
      target: 'esnext',
      // V8 does not know decorators yet.
      supported: { decorators: false },
      charset: 'utf8',
      // Without this option the indentation of deep nesting would grow with the square of its depth.
      minifyWhitespace: true,
      legalComments: 'none',
      sourcemap: 'external',
      sourcesContent: false,
      metafile: true,
      tsconfigRaw: '{}',
      write: false,
      logLevel: 'silent',
      logOverride: {
        ...silencedWarnings,
        'unsupported-dynamic-import': 'error',
        'unsupported-require-call': 'error',
        'empty-glob': 'error',
      },
      plugins: [{ name: namespace, setup: (build: esbuild.PluginBuild) => this.#setUp(build) }],
    } satisfies esbuild.BuildOptions
  }

  #setUp(build: esbuild.PluginBuild): void {
    build.onResolve({ filter: /.*/ }, async (args) => {
      if (args.kind === 'entry-point') return { path: fileName, namespace }
      if (args.namespace === namespace) return this.#resolve(build, args)
      if (args.namespace === requiredModule) return { path: args.path, external: true }
      // Imports within packages are resolved as usual; those of the operator's packages from their folder alone.
      const origin = this.#files.get(args.importer)
      return origin === undefined || args.pluginData === resolvedByPlugin
        ? undefined
        : this.#resolveWithin(build, args, origin)
    })
    build.onLoad({ filter: /.*/, namespace }, () => ({ contents: this.#code, loader: this.#loader }))
    build.onLoad({ filter: /.*/, namespace: 'types' }, () => ({ contents: '', loader: 'js' }))
    build.onLoad({ filter: /.*/, namespace: requiredModule }, ({ path: specifier }) => ({
      contents: `import it from ${JSON.stringify(specifier)}\nmodule.exports = it`,
      loader: 'js',
    }))
  }

  async #resolve(build: esbuild.PluginBuild, args: esbuild.OnResolveArgs): Promise<esbuild.OnResolveResult> {
    // Imports come in their order, and only the first fault is reported: each of thousands would repeat its line.
    if (this.#hasFault) return emptyModule
    const { path: specifier, kind } = args
    if (kind === 'dynamic-import') return this.#refuse({ kind: 'dynamic', specifier })
    if (kind !== 'import-statement') return this.#refuse({ kind: 'require' })
    if (Object.keys(args.with).length > 0) return this.#refuse({ kind: 'attributes' })
    if (specifier === this.#refused) return this.#refuse({ kind: 'runtime', specifier })
    const wanted = readImport(specifier, [...packageNames, ...this.#operator.names])
    if (wanted.kind === 'types') return emptyModule
    if (wanted.kind === 'builtin') return { path: wanted.specifier, external: true }
    if (wanted.kind !== 'package') return this.#refuse({ kind: wanted.kind, specifier })
    const known = this.#resolved.get(specifier)
    if (known) return known
    const resolving = this.#resolvePackage(build, specifier, wanted)
    this.#resolved.set(specifier, resolving)
    return resolving
  }

  /** A refusal, to which esbuild adds the place of the import. */
  #refuse(detail: Fault): esbuild.OnResolveResult {
    this.#hasFault = true
    return { errors: [{ text: detail.kind, detail }] }
  }

  async #resolvePackage(
    build: esbuild.PluginBuild,
    specifier: string,
    { name, part, requested }: PackageImport,
  ): Promise<esbuild.OnResolveResult> {
    const home = packageNames.includes(name) ? this.#home : this.#operator.folder
    if (home === undefined) return this.#refuse({ kind: 'absent', specifier })
    const folder = path.join(home, 'node_modules', name)
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      version: string
    }
    if (!isVersionMet(requested, version))
      return this.#refuse({ kind: 'version', specifier, installed: version })
    const found = await build.resolve(part === '' ? name : `${name}/${part}`, {
      kind: 'import-statement',
      resolveDir: home,
    })
    const isOwn = found.path.startsWith(folder + path.sep) && found.namespace === 'file'
    if (found.errors.length > 0 || !isOwn || !/\.[cm]?js$/.test(found.path))
      return this.#refuse({ kind: 'part', specifier })
    if (home === this.#home) this.#folders.set(path.dirname(found.path), specifier)
    else this.#files.set(found.path, specifier)
    const known = this.#used.get(name)?.requested
    this.#used.set(name, { name, version, requested: requested ?? known ?? null })
    return { path: found.path, sideEffects: found.sideEffects }
  }

  /** Resolves within the operator's folder alone. Node looks for packages in all folders above, too, which may have those of anybody. */
  async #resolveWithin(
    build: esbuild.PluginBuild,
    { path: wanted, kind, importer, resolveDir, with: attributes }: esbuild.OnResolveArgs,
    origin: string,
  ): Promise<esbuild.OnResolveResult | undefined> {
    const found = await build.resolve(wanted, {
      ...{ kind, importer, resolveDir, with: attributes, pluginData: resolvedByPlugin },
    })
    const isWithin = found.namespace !== 'file' || isIn(this.#operator.folder, found.path)
    if (found.errors.length > 0 || found.external || !isWithin)
      return builtinWithin(wanted, kind) ?? this.#refuse({ kind: 'runtime', specifier: origin })
    this.#files.set(found.path, origin)
    return undefined
  }

  /** Throws where anything but the developer's code and packages became part of the bundle, whatever else esbuild learns to import one day. */
  #checkInputs({ inputs }: esbuild.Metafile): void {
    for (const input of Object.keys(inputs)) {
      const isOwn = input === source || ownInputs.some((prefix) => input.startsWith(prefix))
      const file = path.resolve(this.#home, input)
      const isKnown = isOwn || isIn(this.#home, file) || isIn(this.#operator.folder, file)
      if (!isKnown) throw new Error('something else was bundled')
    }
  }

  async #reportOf(errors: readonly esbuild.Message[]): Promise<CompileReport> {
    const [first] = errors.filter(({ location }) => location?.file === source).sort(byPlace)
    if (!first) return { fault: this.#faultOfPackage(errors[0]!), place: undefined }
    const place = sourcePosition(first.location!)
    if (isFault(first.detail)) return { fault: first.detail, place }
    if (first.id === 'unsupported-require-call') return { fault: { kind: 'require' }, place }
    if (first.id !== '') return { fault: { kind: 'dynamic' }, place }
    const isTyped = this.#loader === 'js' && !(await this.#parses('js')) && (await this.#parses('ts'))
    const fault: Fault = isTyped ? { kind: 'typescript' } : { kind: 'syntax', message: first.text }
    return { fault, place }
  }

  /** The fault of an error within a package: the import that led there. */
  #faultOfPackage({ location, text }: esbuild.Message): Fault {
    const origin = this.#files.get(path.join(this.#home, location?.file ?? ''))
    if (origin !== undefined) return { kind: 'runtime', specifier: origin }
    for (let folder = path.join(this.#home, location?.file ?? ''); folder.length > this.#home.length; ) {
      folder = path.dirname(folder)
      const specifier = this.#folders.get(folder)
      if (specifier !== undefined) return { kind: 'runtime', specifier }
    }
    return { kind: 'syntax', message: text }
  }

  async #parses(loader: 'js' | 'ts'): Promise<boolean> {
    try {
      await esbuild.transform(this.#code, { loader, logLevel: 'silent', tsconfigRaw: '{}' })
      return true
    } catch {
      return false
    }
  }
}

/** Whether a file is one of the packages in a folder. */
const isIn = (folder: string | undefined, file: string): boolean =>
  folder !== undefined && file.startsWith(path.join(folder, 'node_modules') + path.sep)

/** The namespace of modules of Node that CommonJS requires: they are imported, and handed on as what `require` returns. */
const requiredModule = 'required'
/** Inputs of a bundle that are no files. */
const ownInputs: readonly string[] = ['types:', '(disabled):', `${requiredModule}:`]

/** A module of Node that a package of the operator imports or requires; undefined where the runtime has none of this name. */
function builtinWithin(wanted: string, kind: esbuild.ImportKind): esbuild.OnResolveResult | undefined {
  const specifier = builtinOf(wanted)
  if (specifier === undefined) return undefined
  if (kind === 'require-call') return { path: specifier, namespace: requiredModule }
  return { path: specifier, external: true }
}

/** What the bundle itself still imports and the runtime does not have. Imports of which the code uses only types are not in the bundle. */
const foreignImport = ({ outputs }: esbuild.Metafile): string | undefined =>
  Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .find(({ external, path: specifier }) => external && builtinOf(specifier) !== specifier)?.path

/** Marks an import that this plugin itself resolves. */
const resolvedByPlugin = {}

/** An empty module. */
const emptyModule = { path: 'types', namespace: 'types' } satisfies esbuild.OnResolveResult

const kinds = 'dynamic require attributes file node url other absent part runtime version'.split(' ')
const isFault = (detail: unknown): detail is Fault =>
  typeof detail === 'object' && detail !== null && kinds.includes((detail as Fault).kind)

const byPlace = (a: esbuild.Message, b: esbuild.Message): number =>
  a.location!.line - b.location!.line || a.location!.column - b.location!.column

/** esbuild counts columns in bytes, from 0. */
function sourcePosition({ line, column, lineText }: esbuild.Location): SourcePosition {
  const before = Buffer.from(lineText).subarray(0, column).toString('utf8')
  return { line, column: before.length + 1 }
}

/** Whether esbuild's process has ended: deep nesting took more memory than it may have. */
const isServiceGone = (error: unknown): boolean =>
  error instanceof Error && /^The service (?:was stopped|is no longer running)/.test(error.message)

const isBuildFailure = (error: unknown): error is esbuild.BuildFailure =>
  error instanceof Error && Array.isArray((error as esbuild.BuildFailure).errors)

await runConfinedWork(compile)
