/** The release of Kherad that runs, which health checks, metrics, the log, the command line and OpenAPI name. */
import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/**
 * The `version` of package.json, such as `0.2.0`; no other file states it. It is read when this file is loaded, so that it is that of the running
 * code even after the files were replaced by an upgrade.
 */
export const release: string = manifest.version
