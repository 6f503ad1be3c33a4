/** Publishes once: sends what changed, and waits until visitors get the site. */
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { requireCloud } from '../cloud/api.ts'
import { CommandRefused, type ParsedArguments, refuse, refuseUsage, type Session } from '../command.ts'
import { wholeNumber } from '../media/studio/inputs.ts'
import { idempotentBody, requestRecord } from '../server/records.ts'
import { plain, type Server, ServerRefused } from '../server.ts'
import { findSite, knownHashes, pathOf, requireSite, type Site } from './api.ts'
import { type Folder, type FolderFile, readFolder } from './folder.ts'
import { sitePhrases as words } from './phrases.ts'

const defaultTimeoutSeconds = 300
const maxTimeoutSeconds = 86_400

/** Publishes the folder; returns the site when it is ready. */
export async function publishFolder(session: Session, server: Server, given: ParsedArguments): Promise<Site> {
  const { options, flags } = given
  const { name, slug, cloud, timeout } = options
  if (!flags.includes('public')) refuseUsage(words.notPublic())
  if (flags.includes('spa') && flags.includes('no-spa')) refuseUsage(words.bothSpa())
  const seconds =
    timeout === undefined ? defaultTimeoutSeconds : wholeNumber('--timeout', timeout, 1, maxTimeoutSeconds)
  const folder = await readFolder(given.words[0]!)
  if (folder.leftOut.length > 0) session.notify(words.leftOut(folder.leftOut.map(plain))[session.language])
  const site = await siteToUpdate(server, options)
  const settings = {
    name: name ?? site?.name ?? refuseUsage(words.nameOrSite()),
    ...(slug !== undefined && { slug }),
    ...(cloud !== undefined && { cloud_id: (await requireCloud(server, cloud)).id }),
    confirm_public: true,
    // A forgotten flag must not take the pages of an app away from its visitors.
    spa: flags.includes('spa') || (site?.spa === true && !flags.includes('no-spa')),
  }
  session.whenStopped(new CommandRefused('INTERRUPTED', words.interrupted(), 1))
  const accepted = await publishFiles(session, server, { site, settings, folder })
  return waitUntilReady(session, server, accepted, seconds)
}

/** The site of `--site`, or the one that has the slug or the name already. */
async function siteToUpdate(
  server: Server,
  { site, slug, name }: ParsedArguments['options'],
): Promise<Site | undefined> {
  if (site !== undefined) return requireSite(server, site)
  const typed = slug ?? name ?? refuseUsage(words.nameOrSite())
  return findSite(server, typed)
}

interface Publication {
  site: Site | undefined
  settings: object
  folder: Folder
}

/** Sends the files that the server does not have yet; all of them if those that it had are gone meanwhile. */
async function publishFiles(session: Session, server: Server, publication: Publication): Promise<Site> {
  const { site } = publication
  const known = site ? await knownHashes(server, site) : new Set<string>()
  try {
    return await sendWith(session, server, publication, known)
  } catch (error) {
    if (known.size === 0 || !(error instanceof ServerRefused && error.code === 'SITE_CONTENT_GONE'))
      throw error
    return sendWith(session, server, publication, new Set())
  }
}

async function sendWith(
  session: Session,
  server: Server,
  { site, settings, folder: { files } }: Publication,
  known: ReadonlySet<string>,
): Promise<Site> {
  const changed = files.filter(({ sha256 }) => !known.has(sha256))
  const bytes = changed.reduce((sum, file) => sum + file.bytes, 0)
  session.notify(words.sending(changed.length, files.length, bytes)[session.language])
  const body = {
    ...settings,
    files: await Promise.all(
      files.map((file) => (known.has(file.sha256) ? hashOnly(file) : withContent(file))),
    ),
  }
  return requestRecord<Site>(server, 'POST', site ? pathOf(site) : '/v1/sites', idempotentBody(body))
}

const hashOnly = ({ path, sha256 }: FolderFile) => ({ path, sha256 })

const withContent = async ({ path, source }: FolderFile) => ({
  path,
  content: await readFile(source, 'base64'),
  encoding: 'base64',
})

const firstPauseMs = 150
const maxPauseMs = 2_000
const growth = 1.4

async function waitUntilReady(
  session: Session,
  server: Server,
  accepted: Site,
  seconds: number,
): Promise<Site> {
  const fromMs = session.clock.nowMs()
  const elapsed = () => (session.clock.nowMs() - fromMs) / 1_000
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * growth)) {
      const site = await requestRecord<Site>(server, 'GET', pathOf(accepted))
      // If somebody else published later, the state of the site says nothing of this publication.
      if (site.version > accepted.version || site.status === 'ready') return site
      if (site.status === 'failed') throw failed(site)
      if (elapsed() >= seconds) refuse('TIMED_OUT', words.timedOut(seconds))
      session.status(words.publishing(Math.floor(elapsed()))[session.language])
      await pause(pauseMs, undefined, { signal: session.stopping })
    }
  } finally {
    session.status()
  }
}

const failed = ({ error, id }: Site): CommandRefused =>
  new CommandRefused(
    plain(error?.code ?? 'PUBLICATION_FAILED'),
    words.failed(plain(error?.message ?? '')),
    1,
    {
      site: id,
    },
  )
