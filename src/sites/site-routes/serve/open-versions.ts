/** Versions whose files are served, with everything that their answers need, in memory that is bounded. */
import {
  type FoundSite,
  type HeaderRule,
  headersFor,
  type Manifest,
  mayBeHashed,
  Redirects,
  type SiteFile,
  type StaleFile,
} from '#sites/hosting'
import { BoundedCache } from './bounded-cache.ts'
import { type PreparedFile, prepareFile } from './representation.ts'

/** The source that versions are read from. */
export interface VersionSource {
  readManifest(version: { accountId: string; siteId: string; version: number }): Promise<Manifest | undefined>
  readStaleFiles(site: FoundSite, live: number): Promise<Map<string, StaleFile>>
}

export type FoundVersion = FoundSite & { version: number }

export class OpenVersion {
  readonly key: string
  readonly manifest: Manifest
  readonly redirects: Redirects
  readonly isPreview: boolean
  readonly weight: number
  /** Files of versions that this one has replaced, as they were when the directory gave `of`. */
  stale: { of: FoundSite; files: ReadonlyMap<string, StaleFile> } | undefined
  readonly modified: string
  readonly #prepared = new Map<SiteFile, PreparedFile>()

  constructor(key: string, manifest: Manifest, isPreview: boolean) {
    this.key = key
    this.manifest = manifest
    this.redirects = new Redirects(manifest.redirects)
    this.isPreview = isPreview
    this.modified = manifest.readyAt.toUTCString()
    this.weight = weightOf(manifest)
  }

  /** A file at its one address, if it was requested before. */
  known(file: SiteFile): PreparedFile | undefined {
    return this.#prepared.get(file)
  }

  /** Prepares a file, and keeps it from here on. */
  prepare(file: SiteFile, path: string): PreparedFile {
    const prepared = this.prepareUncached(file, path)
    this.#prepared.set(file, prepared)
    return prepared
  }

  /** Prepares a file without keeping it. */
  prepareUncached(file: SiteFile, path: string): PreparedFile {
    const ruled = this.#ruled(file, path)
    return prepareFile({ file, ruled, isPreview: this.isPreview, modified: this.modified, hasEtag: true })
  }

  /** `index.html` under a path of the app. Other paths get other rules, so it is not kept. */
  fallback(file: SiteFile, path: string): PreparedFile {
    const ruled = this.#ruled(file, path)
    ruled.delete('Cache-Control')
    const vary = 'Accept, Sec-Fetch-Mode'
    return prepareFile({ file, ruled, vary, isPreview: this.isPreview, modified: undefined, hasEtag: true })
  }

  /** The site's own 404.html. */
  errorPage(file: SiteFile, path: string): PreparedFile {
    const ruled = this.#ruled(file, path)
    return prepareFile({
      ...{
        file,
        ruled,
        cacheControl: 'no-store',
        isPreview: this.isPreview,
        modified: undefined,
        hasEtag: false,
      },
    })
  }

  #ruled(file: SiteFile, path: string): Map<string, string> {
    return headersFor(this.manifest.headers, [path, `/${file.path}`])
  }
}

/** The approximate bytes that a version occupies: measured with 500 files, a kilobyte each with its hash and keys. */
function weightOf({ files, redirects, headers }: Manifest): number {
  const ruled = (rules: readonly HeaderRule[]): number =>
    rules.reduce(
      (sum, rule) =>
        sum + rule.headers.reduce((of, [name, value]) => of + name.length + value.length + 100, 200),
      0,
    )
  return 2_000 + files.size * 1_000 + redirects.length * 400 + ruled(headers)
}

/** The weight of all versions together; the largest site weighs about half a megabyte. */
const maxWeight = 32_000_000

export class OpenVersions {
  readonly #source: VersionSource
  readonly #cache = new BoundedCache<OpenVersion>(maxWeight)
  readonly #loadingStale = new Map<string, Promise<void>>()

  constructor(source: VersionSource) {
    this.#source = source
  }

  /** A version from memory; undefined where it is not there. */
  get(found: FoundVersion): OpenVersion | undefined {
    return this.#cache.get(keyOf(found))
  }

  /** Loads a version; undefined if it does not exist. */
  load(found: FoundVersion): Promise<OpenVersion | undefined> {
    const key = keyOf(found)
    const read = async (): Promise<OpenVersion | undefined> => {
      const { accountId, siteId, version } = found
      const manifest = await this.#source.readManifest({ accountId, siteId, version })
      return manifest && new OpenVersion(key, manifest, found.isPreview)
    }
    return this.#cache.load(key, read, ({ weight }) => weight)
  }

  prepared(open: OpenVersion, file: SiteFile, path: string): PreparedFile {
    const known = open.known(file)
    if (known) return known
    const prepared = open.prepare(file, path)
    this.#cache.grow(open.key, prepared.weight)
    return prepared
  }

  /**
   * A file of a version before this one; `unknown`: `loadStale` must be called first. The directory gives another object whenever the site has
   * changed, so a version that is live again after another knows of that one's files. A preview shows only its own files.
   */
  staleFile(
    found: FoundVersion,
    open: OpenVersion,
    path: string,
    nowMs: number,
  ): SiteFile | 'unknown' | undefined {
    if (open.isPreview || !mayBeHashed(path)) return undefined
    if (open.stale?.of !== found) return 'unknown'
    const stale = open.stale.files.get(path)
    return stale && nowMs < stale.untilMs ? stale.file : undefined
  }

  loadStale(found: FoundVersion, open: OpenVersion): Promise<void> {
    const under = this.#loadingStale.get(open.key)
    if (under) return under
    const loading = this.#source
      .readStaleFiles(found, found.version)
      .then((files) => {
        this.#cache.grow(open.key, (files.size - (open.stale?.files.size ?? 0)) * 1_000)
        open.stale = { of: found, files }
      })
      .finally(() => this.#loadingStale.delete(open.key))
    this.#loadingStale.set(open.key, loading)
    return loading
  }
}

const keyOf = ({ siteId, version, isPreview }: FoundVersion): string =>
  `${siteId}${isPreview ? '?' : '/'}${version}`
