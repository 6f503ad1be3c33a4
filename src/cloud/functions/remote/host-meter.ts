/** The bytes that a cloud may still send today from a host of functions: portions of the day's limit, which the API takes and counts. */
import type { CloudKey } from '#cloud/clouds'
import type { EgressMeter } from '../broker/broker.ts'
import type { HostLinks } from './host-link.ts'

const portionBytes = 262_144

export class HostMeter implements EgressMeter {
  readonly #links: Pick<HostLinks, 'takeEgress' | 'refundEgress'>
  readonly #cloud: CloudKey
  #left = 0
  #taking: Promise<boolean> | undefined

  constructor(links: Pick<HostLinks, 'takeEgress' | 'refundEgress'>, cloud: CloudKey) {
    this.#links = links
    this.#cloud = cloud
  }

  async take(bytes: number): Promise<boolean> {
    while (this.#left < bytes) {
      this.#taking ??= this.#takePortion(bytes).finally(() => {
        this.#taking = undefined
      })
      if (!(await this.#taking) && this.#left < bytes) return false
    }
    this.#left -= bytes
    return true
  }

  /** Returns what is left, when nothing of the cloud runs any more. */
  giveBack(): void {
    if (this.#left > 0) this.#links.refundEgress(this.#cloud, this.#left)
    this.#left = 0
  }

  /** Takes a portion, or only what is needed: the last bytes of a day are less than a portion. */
  async #takePortion(needed: number): Promise<boolean> {
    for (const bytes of new Set([Math.max(portionBytes, needed), needed]))
      if (await this.#links.takeEgress(this.#cloud, bytes)) {
        this.#left += bytes
        return true
      }
    return false
  }
}
