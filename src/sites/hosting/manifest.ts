/** One version of a site as it is served. */
export interface Manifest {
  accountId: string
  siteId: string
  version: number
  /** When it was published. */
  readyAt: Date
  /** Navigation to a path that no file has is answered by `index.html`. */
  spa: boolean
  /** The files by path, such as `blog/index.html`; `_redirects` and `_headers` are not among them. */
  files: ReadonlyMap<string, SiteFile>
  redirects: readonly Redirect[]
  headers: readonly HeaderRule[]
}

export interface SiteFile {
  path: string
  mediaType: string
  /** The hash in hexadecimal digits; the strong ETag is made of it. */
  sha256: string
  bytes: number
  storageKey: string
  /** The compressed forms, made when the file was published, only where they are smaller. */
  brotli?: Variant
  gzip?: Variant
}

export interface Variant {
  storageKey: string
  bytes: number
}

/** A line of `_redirects`, which leads to a path of the same site only. */
export interface Redirect {
  /** Starts with a slash; the last segment may be `*`, which matches the rest of the path. */
  from: string
  /** Starts with a slash; `:splat` stands for what `*` matched. */
  to: string
  status: 301 | 302 | 307 | 308
}

/** A block of `_headers`: the headers that answers for matching paths have. */
export interface HeaderRule {
  /** Starts with a slash; `*` matches anything. */
  path: string
  headers: readonly (readonly [name: string, value: string])[]
}
