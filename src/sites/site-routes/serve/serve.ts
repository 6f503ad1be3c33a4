/**
 * Answers the visitors of sites. A request for a file that was requested before goes from the host to the two writes of its answer without a promise
 * and without a statement.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AppsRequest, HostHandler } from '#platform/apps'
import type { Clock } from '#platform/clock'
import type { Log } from '#platform/log'
import {
  type FoundSite,
  type Resolution,
  resolve,
  type SiteAllowance,
  type SiteAllowances,
  type SiteDirectory,
  type SiteFile,
} from '#sites/hosting'
import type { Blobs } from './blobs.ts'
import { maxCachedBlob } from './blobs.ts'
import { conditionOf, isNavigation, rangeOf, refusesPage, takesPage } from './conditions.ts'
import { type NoticeName, noticeBytes, sendNotice } from './notice.ts'
import type { FoundVersion, OpenVersion, OpenVersions } from './open-versions.ts'
import { chooseRepresentation, type PreparedFile, type Representation, sizeOf } from './representation.ts'
import { pipeBytes, watchEnd } from './send-bytes.ts'

export interface SiteHandlerOptions {
  directory: Pick<SiteDirectory, 'find'>
  versions: OpenVersions
  blobs: Blobs
  allowances: SiteAllowances
  clock: Clock
  log: Log
  /** Called when the bytes of a published file are not in the store. */
  reportLost: (key: string) => void
}

/** One request to a site, and what it needs. */
interface SiteRequest {
  message: IncomingMessage
  response: ServerResponse
  found: FoundVersion
  open: OpenVersion
  allowance: SiteAllowance
}

interface ByteRange {
  start: number
  end: number
}

export class SiteHandler implements HostHandler {
  readonly name = 'sites'
  readonly #options: SiteHandlerOptions

  constructor(options: SiteHandlerOptions) {
    this.#options = options
  }

  serves(host: string): boolean {
    return this.#options.directory.find(host) !== undefined
  }

  mayHaveCertificate(host: string): boolean {
    return this.serves(host)
  }

  handle(request: AppsRequest): void {
    try {
      this.#answer(request)
    } catch (error) {
      this.#fail(request, error)
    }
  }

  /** Gives back what visitors have not used of the day's allowances. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.allowances[Symbol.asyncDispose]()
  }

  #answer(request: AppsRequest): void {
    const { directory, versions, allowances } = this.#options
    const found = directory.find(request.host)
    if (!found) return void sendNotice(request, 'unpublished')
    if (found.takenDown) return void sendNotice(request, 'takenDown')
    if (!isPublished(found)) return void sendNotice(request, 'unpublished')
    const { message, response } = request
    const allowance = allowances.of(found.accountId, found.siteId)
    const open = versions.get(found)
    if (open) return void this.#visit({ message, response, found, open, allowance })
    versions.load(found).then(
      (loaded) => {
        if (response.destroyed) return
        if (loaded) this.#guarded({ message, response, found, open: loaded, allowance })
        else this.#fail(request, new Error('The live version of a site is not there.'))
      },
      (error: unknown) => this.#fail(request, error),
    )
  }

  #guarded(visit: SiteRequest): void {
    try {
      this.#visit(visit)
    } catch (error) {
      this.#fail(visit, error)
    }
  }

  #visit(visit: SiteRequest): void {
    const { message, open } = visit
    if (message.method !== 'GET' && message.method !== 'HEAD') return void this.#refuseMethod(visit)
    const url = message.url!
    const mark = url.indexOf('?')
    const resolution = resolve(open, {
      path: mark === -1 ? url : url.slice(0, mark),
      query: mark === -1 ? '' : url.slice(mark),
      isNavigation: open.manifest.spa && isNavigation(message),
    })
    if (resolution.kind === 'file')
      return void this.#file(visit, this.#options.versions.prepared(open, resolution.file, resolution.path))
    if ('absent' in resolution && resolution.absent !== undefined) {
      const { versions, clock } = this.#options
      const stale = versions.staleFile(visit.found, open, resolution.absent, clock.nowMs())
      if (stale === 'unknown') return void this.#loadStale(visit)
      if (stale) return void this.#file(visit, open.prepareUncached(stale, `/${stale.path}`))
    }
    this.#otherwise(visit, resolution)
  }

  #loadStale(visit: SiteRequest): void {
    this.#options.versions.loadStale(visit.found, visit.open).then(
      () =>
        !visit.response.destroyed && this.#guarded({ ...visit, found: visit.open.stale!.of as FoundVersion }),
      (error: unknown) => this.#fail(visit, error),
    )
  }

  #otherwise(visit: SiteRequest, resolution: Exclude<Resolution, { kind: 'file' }>): void {
    const { open } = visit
    switch (resolution.kind) {
      case 'redirect':
        return void this.#redirect(visit, resolution.status, resolution.location)
      case 'fallback':
        return void this.#file(visit, open.fallback(resolution.file, resolution.path))
      case 'missing':
        if (resolution.page && takesPage(visit.message))
          this.#errorPage(visit, resolution.page, resolution.path)
        else this.#notice(visit, 'missing')
        return
      case 'malformed':
        return void this.#notice(visit, 'malformed')
    }
  }

  #file(visit: SiteRequest, prepared: PreparedFile): void {
    const { headers } = visit.message
    if (prepared.isPage && refusesPage(visit.message)) return void this.#notice(visit, 'refusedType')
    const wantsRange = headers.range !== undefined && visit.message.method === 'GET'
    const form = wantsRange ? prepared.identity : chooseRepresentation(prepared, headers['accept-encoding'])
    const validators = { etag: form.etag, modified: visit.open.modified }
    const condition = conditionOf(headers, validators)
    if (condition !== 'send') return void this.#short(visit, condition === 'not-modified' ? 304 : 412, form)
    if (!wantsRange) return void this.#send(visit, 200, form, form.headers as string[])
    const range = rangeOf(headers, validators, form.bytes)
    if (range === 'whole') return void this.#send(visit, 200, form, form.headers as string[])
    if (range === 'beyond') return void this.#beyond(visit, form)
    const part = [...form.headers, 'Content-Range', `bytes ${range.start}-${range.end}/${form.bytes}`]
    part[part.indexOf('Content-Length') + 1] = String(range.end - range.start + 1)
    this.#send(visit, 206, form, part, range)
  }

  #errorPage(visit: SiteRequest, page: SiteFile, path: string): void {
    const form = chooseRepresentation(
      visit.open.errorPage(page, path),
      visit.message.headers['accept-encoding'],
    )
    this.#send(visit, 404, form, form.headers as string[])
  }

  #short(visit: SiteRequest, status: 304 | 412, form: Representation): void {
    this.#paid(visit, form.shortHeaderBytes, () => {
      visit.response.writeHead(status, status === 304 ? (form.shortHeaders as string[]) : noBody)
      visit.response.end()
    })
  }

  #beyond(visit: SiteRequest, { bytes }: Representation): void {
    this.#paid(visit, 200, () => {
      visit.response.writeHead(416, [...noBody, 'Content-Range', `bytes */${bytes}`])
      visit.response.end()
    })
  }

  #redirect(visit: SiteRequest, status: number, location: string): void {
    const headers = [
      'Location',
      location,
      ...noBody.slice(0, 2),
      'Cache-Control',
      'public, max-age=0, must-revalidate',
    ]
    if (visit.open.isPreview) headers.push('X-Robots-Tag', 'noindex')
    this.#paid(visit, sizeOf(headers), () => {
      visit.response.writeHead(status, headers)
      visit.response.end()
    })
  }

  #refuseMethod(visit: SiteRequest): void {
    // The body of such a request is not read.
    this.#notice(visit, 'method', ['Allow', 'GET, HEAD', 'Connection', 'close'])
  }

  #notice(visit: SiteRequest, name: NoticeName, more: readonly string[] = []): void {
    this.#paid(visit, noticeBytes, () => sendNotice(visit, name, more))
  }

  /** Spends the day's allowance, then answers. */
  #paid(visit: SiteRequest, bytes: number, answer: () => void): void {
    if (visit.allowance.spend({ requests: 1, bytes })) return void answer()
    visit.allowance.take({ requests: 1, bytes }).then(
      (taken) => {
        if (visit.response.destroyed) return
        if (!taken) return void this.#usedUp(visit)
        answer()
      },
      (error: unknown) => this.#fail(visit, error),
    )
  }

  #usedUp(visit: SiteRequest): void {
    const seconds = Math.ceil((visit.allowance.dayEndMs - this.#options.clock.nowMs()) / 1000)
    sendNotice(visit, 'usedUp', ['Retry-After', String(Math.max(1, seconds))])
  }

  #send(
    visit: SiteRequest,
    status: number,
    form: Representation,
    headers: string[],
    range?: ByteRange,
  ): void {
    const { message, response, allowance } = visit
    const isHead = message.method === 'HEAD'
    const body = isHead ? 0 : range ? range.end - range.start + 1 : form.bytes
    const cost = form.headerBytes + body
    if (!allowance.spend({ requests: 1, bytes: cost })) {
      allowance.take({ requests: 1, bytes: cost }).then(
        (taken) => {
          if (response.destroyed) return
          if (taken) this.#write(visit, status, form, headers, range)
          else this.#usedUp(visit)
        },
        (error: unknown) => this.#fail(visit, error),
      )
      return
    }
    this.#write(visit, status, form, headers, range)
  }

  #write(
    visit: SiteRequest,
    status: number,
    form: Representation,
    headers: string[],
    range?: ByteRange,
  ): void {
    const { message, response } = visit
    if (message.method === 'HEAD') {
      response.writeHead(status, headers)
      response.end()
      return
    }
    const cached = this.#options.blobs.get(form.storageKey)
    if (cached)
      return void writeBuffer(
        response,
        status,
        headers,
        range ? cached.subarray(range.start, range.end + 1) : cached,
      )
    if (form.bytes <= maxCachedBlob) this.#writeLoaded(visit, status, form, headers, range)
    else this.#writeStream(visit, status, form, headers, range)
  }

  #writeLoaded(
    visit: SiteRequest,
    status: number,
    form: Representation,
    headers: string[],
    range?: ByteRange,
  ): void {
    const { response } = visit
    this.#options.blobs.load(form.storageKey, form.bytes).then(
      (buffer) => {
        if (response.destroyed) return
        if (!buffer) return void this.#lost(visit, form)
        writeBuffer(response, status, headers, range ? buffer.subarray(range.start, range.end + 1) : buffer)
      },
      (error: unknown) => this.#fail(visit, error),
    )
  }

  #writeStream(
    visit: SiteRequest,
    status: number,
    form: Representation,
    headers: string[],
    range?: ByteRange,
  ): void {
    const { response, allowance } = visit
    const bytes = range ? range.end - range.start + 1 : form.bytes
    this.#options.blobs.open(form.storageKey, range).then(
      (source) => {
        if (!source) return void this.#lost(visit, form)
        if (response.destroyed) return void source.destroy()
        response.writeHead(status, headers)
        pipeBytes(source, response, bytes, (sent, error) => {
          allowance.refund({ bytes: bytes - sent })
          if (error !== undefined) this.#options.log.error({ err: error }, 'a file of a site broke off')
        })
      },
      (error: unknown) => this.#fail(visit, error),
    )
  }

  /** Reports lost bytes to the operator. Visitors are to come back: search engines would forget a page that says it is gone for good. */
  #lost({ message, response }: SiteRequest, { storageKey }: Representation): void {
    this.#options.reportLost(storageKey)
    if (!response.destroyed) sendNotice({ message, response }, 'unavailable', ['Retry-After', '5'])
  }

  #fail({ message, response }: Pick<SiteRequest, 'message' | 'response'>, error: unknown): void {
    this.#options.log.error({ err: error }, 'a visitor of a site got no answer')
    if (response.headersSent) response.destroy()
    else if (!response.destroyed) sendNotice({ message, response }, 'unavailable', ['Retry-After', '5'])
  }
}

const isPublished = (found: FoundSite): found is FoundVersion => found.version !== null

const noBody = ['Content-Length', '0', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

function writeBuffer(response: ServerResponse, status: number, headers: string[], body: Buffer): void {
  response.writeHead(status, headers)
  response.end(body)
  watchEnd(response)
}
