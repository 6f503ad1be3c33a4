/** The pages of the console: the built folder, read once into memory, and served at every path that is neither a route nor a file. */
import { randomBytes } from 'node:crypto'
import { ownRoot } from '#account/console-build'
import { acceptedEncodings, acceptsByName, isNotModified, type PageRequest, type Pages } from '#platform/http'
import { type LoadedAsset, type LoadedConsole, loadConsole } from './load.ts'
import { pageHeaders, pageOf } from './page.ts'
import { missingPage } from './phrases.ts'

/** The first words of paths that never show a page: those of the routes and of the console's own files. */
export const pathsWithoutPages = [
  'v1',
  'docs',
  'openapi.json',
  'health',
  'metrics',
  'voice',
  'app-links',
  'assets',
]

/** The first words of the paths that are served by the light entry of sign-in. */
const signInPaths = new Set(['sign-in', 'sign-up', 'invitation', 'link', 'recovery'])

/** Serves the console that is built in a checkout or a release. Until a build is there, every page says that it is missing. */
export function consolePages(root: string = ownRoot): Pages {
  let loading: Promise<LoadedConsole | undefined> | undefined
  const load = async (): Promise<LoadedConsole | undefined> => {
    loading ??= loadConsole(root)
    const loaded = await loading.catch((error) => {
      loading = undefined
      throw error
    })
    // A build may come later, while this process runs.
    if (!loaded) loading = undefined
    return loaded
  }
  return async (request, path) => {
    const [, first = ''] = path.split('/')
    if (first === 'assets')
      return answerAsset(request, (await load())?.assets.get(path.slice('/assets/'.length)))
    if (!isPage(request, path, first)) return false
    const loaded = await load()
    for (const [name, value] of Object.entries(pageHeaders)) request.setHeader(name, value)
    request.setHeader('content-language', request.language)
    request.setHeader('vary', 'accept-language')
    if (!loaded) {
      request.answer(503, htmlType, missingPage)
      return true
    }
    const nonce = randomBytes(18).toString('base64')
    const { body, policy } = pageOf(
      signInPaths.has(first) ? loaded.signIn : loaded.shell,
      request.language,
      nonce,
    )
    request.setHeader('content-security-policy', policy)
    request.answer(200, htmlType, body)
    return true
  }
}

const htmlType = 'text/html; charset=utf-8'

/** Whether a browser opens the path as a page: it asks for HTML, and the path names neither a route nor a file. */
function isPage({ headers }: PageRequest, path: string, first: string): boolean {
  if (pathsWithoutPages.includes(first)) return false
  if (path.slice(path.lastIndexOf('/')).includes('.')) return false
  return acceptsByName(headers.accept, 'text/html')
}

/** Answers with a file whose name never comes again for other content; a name that no build has is no page. */
function answerAsset(request: PageRequest, asset: LoadedAsset | undefined): boolean {
  if (!asset) return false
  const offered = (['br', 'gzip'] as const).filter((name) => asset.forms[name])
  const [encoding] = acceptedEncodings(request.headers['accept-encoding'], offered)
  const etag = `"${asset.digest}${encoding === undefined ? '' : `-${encoding}`}"`
  request.setHeader('etag', etag)
  request.setHeader('cache-control', 'public, max-age=31536000, immutable')
  request.setHeader('cross-origin-resource-policy', 'same-origin')
  if (offered.length > 0) request.setHeader('vary', 'accept-encoding')
  if (isNotModified(request.headers, etag)) {
    request.answer(304, asset.mediaType, null)
    return true
  }
  if (encoding !== undefined) request.setHeader('content-encoding', encoding)
  request.answer(200, asset.mediaType, asset.forms[encoding ?? 'identity']!)
  return true
}
