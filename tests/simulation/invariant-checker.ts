/** What must be true of a simulated world: at each step, and when everything has ended. */

import { type Catalogue, textModels } from '#core/models'
import type { Config } from '#platform/config'
import type { Settlement, SettlementResult } from '#platform/ledger'
import { wrongExplanation } from '../harness/charge-lines.ts'
import type { HoldOp } from '../platform/ledger/model.ts'
import type { Ending, SimulatedDatabase, StoredRow } from './database.ts'
import { FilmChecker } from './film-checker.ts'
import type { FilmVendor } from './film-vendor.ts'
import type { People, Sent } from './people.ts'
import { pictureCost } from './pictures.ts'
import { filmPath, type SimulatedProcess } from './process.ts'
import { Speed } from './speed.ts'
import type { Timeline } from './timeline.ts'
import type { SimulatedUpstream, UpstreamCall } from './upstream.ts'

export interface InvariantCheckerOptions {
  timeline: Timeline
  database: SimulatedDatabase
  upstream: SimulatedUpstream
  vendor: FilmVendor | undefined
  people: People
  config: Config
  models: Catalogue
  processes: readonly SimulatedProcess[]
  store: ReadonlyMap<string, Uint8Array>
  folders: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>
}

interface KnownSettlement {
  process: SimulatedProcess
  settlement: Settlement
  /** What was charged, once the platform said that it is durable. */
  settled: SettlementResult | undefined
}

/** A client is never kept waiting longer than the slowest call with the slowest database, in milliseconds. */
const maxAnswerMs = 60_000

export class InvariantChecker {
  readonly violations: string[] = []
  readonly #ask: InvariantCheckerOptions
  readonly #settlements = new Map<string, KnownSettlement>()
  readonly #speed: Speed
  readonly #films: FilmChecker | undefined

  constructor(options: InvariantCheckerOptions) {
    this.#ask = options
    this.#speed = new Speed(
      options.database,
      () => options.timeline.nowMs,
      (truth, what) => this.#hold(truth, what),
    )
    const { vendor } = options
    this.#films = vendor && new FilmChecker({ ...options, vendor }, (truth, what) => this.#hold(truth, what))
    options.upstream.onCall = (call) => this.#onCall(call)
    options.database.onSweep = (hold, processId, lapsed) => this.#onSweep(hold, processId, lapsed)
  }

  #hold(truth: boolean, what: string): void {
    if (!truth) this.violations.push(`${(this.#ask.timeline.nowMs / 1000).toFixed(3)} s: ${what}`)
  }

  /** After each step: money is never negative, never promised twice. */
  afterStep(): void {
    this.#films?.afterStep()
    for (const [account, { balance, held }] of this.#ask.database.model.balances) {
      if (held < 0n || held > balance) this.#hold(false, `account ${account} holds ${held} of ${balance}`)
    }
  }

  /** Nothing unpaid: the hold of a call is committed before the call is made. */
  #onCall({ requestId }: UpstreamCall): void {
    const paper = this.#ask.database.model.papers.get(requestId)
    this.#hold(paper !== undefined, `${requestId} is called upstream without a committed hold`)
    if (!paper) return
    this.#hold(
      paper.state === 'running' || paper.ambiguous,
      `${requestId} is called upstream after its hold was given back (${paper.state})`,
    )
    this.#hold(paper.claiming, `${requestId} is called upstream without the claim of its key`)
  }

  /** After an outage that all had, nobody is taken for dead who had no time to be heard again. */
  #onSweep({ id }: HoldOp, processId: string, lapsed: boolean): void {
    const owner = this.#ask.processes.find((process) => process.link.processId === processId)
    if (!lapsed || !owner?.open) return
    const { timeline, config } = this.#ask
    const ownSilence = timeline.nowMs - owner.troubledMs <= config.timing.processLeaseMs + 5_000
    this.#hold(ownSilence, `${id} is swept although ${owner.name} lives and had no trouble of its own`)
  }

  /** An answer that speaks of an earlier request. */
  onRefusal(code: string, receiptId: string): void {
    const running = this.#ask.database.model.papers.get(receiptId)?.state === 'running'
    if (code === 'REQUEST_ALREADY_ACCEPTED')
      this.#hold(!running, `${receiptId} is told to be over while it runs`)
  }

  /** Room is given back with the answer, unless the process could not reach the database. */
  onAnswer(requestId: string, { brokenMs }: SimulatedProcess): void {
    this.#hold(
      brokenMs > 0 || this.#isFilm(requestId) || !this.#ask.database.reservations.has(requestId),
      `${requestId} has ended and still reserves room`,
    )
  }

  /** Its room and its hold last until it is made. */
  #isFilm(requestId: string): boolean {
    return this.#ask.database.letters.get(requestId)?.endpoint === filmPath
  }

  /** What is answered is there: row, bytes and charge. */
  onFiles(fileIds: readonly string[], requestId: string): void {
    const { database } = this.#ask
    this.#hold(fileIds.length > 0, `${requestId} is answered without a file`)
    for (const id of fileIds)
      this.#hold(database.files.has(id), `${id} of ${requestId} is answered and not kept`)
    this.#hold(
      database.model.papers.get(requestId)?.state === 'completed',
      `${requestId} is answered before it is settled`,
    )
  }

  onUnsettled(receiptId: string): void {
    this.#settlements.delete(receiptId)
  }

  onSettle(
    receiptId: string,
    process: SimulatedProcess,
    settlement: Settlement,
    settled?: SettlementResult,
  ): void {
    const before = this.#settlements.get(receiptId)
    if (!before) this.#settlements.set(receiptId, { process, settlement, settled })
    else before.settled ??= settled
  }

  /** True while a living process has a settlement that is not durable yet. */
  get waits(): boolean {
    if (this.#films?.waits) return true
    return [...this.#settlements.values()].some(({ process, settled }) => process.alive && !settled)
  }

  /** When everything has ended. */
  atTheEnd(): void {
    this.#books()
    for (const [id] of this.#ask.database.model.papers) {
      this.#explained(id)
      if (!this.#isFilm(id)) this.#receipt(id)
    }
    this.#films?.atTheEnd()
    for (const sent of this.#ask.people.sent) {
      this.#client(sent)
      if (sent.background) this.#once(sent)
      if (sent.pictures > 0) this.#pictures(sent)
    }
    this.#speed.atTheEnd(this.#ask.people.sent)
    this.#keys()
    this.#rooms()
    for (const file of this.#ask.database.files.values()) this.#file(file)
  }

  /** Nothing stays reserved, and what is counted is what is there. */
  #rooms(): void {
    const { files, reservations, usage, model } = this.#ask.database
    this.#hold(reservations.size === 0, `${[...reservations.keys()].join(', ')} still reserve room`)
    for (const [owner, { creations, bytes }] of usage) {
      const own = [...files.values()].filter(
        ({ account, receiptId }) => owner === `${account} ${model.papers.get(receiptId)?.project}`,
      )
      const sum = own.reduce((total, file) => total + file.bytes, 0n)
      this.#hold(
        creations === BigInt(own.length) && bytes === sum,
        `${owner} counts ${creations} files of ${bytes} bytes, and has ${own.length} of ${sum}`,
      )
    }
  }

  #file({ id, account, receiptId, spooledOn }: StoredRow): void {
    const { database, store, folders } = this.#ask
    const key = `files/${account}/${id}`
    const place = spooledOn === null ? store : folders.get(spooledOn)
    this.#hold(place?.has(key) === true, `${id} of ${receiptId} has no bytes in ${spooledOn ?? 'the store'}`)
    this.#hold(spooledOn !== null || !database.pending.has(key), `the bytes of ${id} will be deleted`)
  }

  /** A picture costs its price if it is stored, and nothing otherwise, nor after its process was taken for dead; none is drawn twice. */
  #pictures(sent: Sent): void {
    const { requestId, pictures, inSequence } = sent
    const { database, upstream } = this.#ask
    const paper = database.model.papers.get(requestId)
    if (!paper) return
    const files = [...database.files.values()].filter(({ receiptId }) => receiptId === requestId).length
    const stored = inSequence ? files * pictures : files
    const wasSwept = database.endings.some(({ receiptId, by }) => receiptId === requestId && by === 'sweep')
    const due = wasSwept ? 0n : pictureCost(this.#ask, stored)
    this.#hold(
      paper.charged === due && stored <= pictures,
      `${requestId} is charged ${paper.charged} for ${stored} of ${pictures} pictures`,
    )
    const drawn = upstream.calls.filter((call) => call.requestId === requestId)
    this.#lost(sent, drawn)
    for (const calls of Map.groupBy(drawn, ({ part }) => part).values())
      this.#hold(
        calls.slice(0, -1).every(({ refused }) => refused),
        `a picture of ${requestId} is ordered again after it may have been drawn`,
      )
    this.#hold(
      new Set(drawn.map(({ part }) => part)).size <= pictures,
      `${requestId} orders too many pictures`,
    )
  }

  /** What may have been drawn and is not charged is lost; where nobody lived to say what was, the whole hold. */
  #lost({ requestId }: Sent, drawn: readonly UpstreamCall[]): void {
    const { database } = this.#ask
    const last = database.endings.findLast(({ receiptId }) => receiptId === requestId)
    if (!last) return
    const executed = drawn.filter(({ refused, aborted }) => !refused || aborted)
    const billed = pictureCost(this.#ask, new Set(executed.map(({ part }) => part)).size)
    const { held } = database.letters.get(requestId)!
    const due = last.by === 'sweep' ? held : billed - last.charged
    this.#hold(last.loss === due, `${requestId} loses ${last.loss} in place of ${due}`)
  }

  #books(): void {
    const { model } = this.#ask.database
    this.#hold(model.holds.size === 0, `${[...model.holds.keys()].join(', ')} still hold credits`)
    for (const [account, { held }] of model.balances)
      this.#hold(held === 0n, `${held} of ${account} stay held`)
    for (const [id, meter] of model.meters) {
      const papers = [...model.papers.values()].filter((paper) => paper[meter.scope] === id)
      const charged = papers.reduce((sum, paper) => sum + paper.charged, 0n)
      this.#hold(
        meter.spent === charged && meter.held === 0n,
        `the meter of ${id} is not the sum of its receipts`,
      )
    }
  }

  /** The lines that its settlement has recorded are what it is charged, and what is lost of it. */
  #explained(id: string): void {
    const { model, letters, endings } = this.#ask.database
    const { state, ambiguous, charged } = model.papers.get(id)!
    const { endpoint, held, charge = null } = letters.get(id)!
    if (state === 'running') return
    // What a correction loses stands in the journal, not in the receipt.
    const lost = endings.findLast(({ receiptId }) => receiptId === id)?.loss ?? 0n
    const wrong = wrongExplanation({
      ...{ receipt_id: id, endpoint, state, ambiguous, held, charged, lost, charge },
    })
    this.#hold(wrong === undefined, `a charge is not its lines: ${wrong}`)
  }

  #receipt(id: string): void {
    const { database, upstream } = this.#ask
    const paper = database.model.papers.get(id)!
    const { held, processId, freeIfLost } = database.letters.get(id)!
    const endings = database.endings.filter(({ receiptId }) => receiptId === id)
    this.#hold(paper.state !== 'running', `${id} never ended`)
    this.#hold(
      endings.map(({ by }) => by).join(' ') ===
        (endings[0]?.by === 'settle' ? 'settle' : mendedOrNot(endings)),
      `${id} ended by ${endings.map(({ by }) => by).join(', ')}`,
    )
    const last = endings.at(-1)
    if (!last) return
    this.#hold(
      paper.charged >= 0n && last.charged === paper.charged,
      `${id} is charged ${paper.charged}, not what its end says`,
    )
    const owner = this.#ask.processes.find((process) => process.link.processId === processId)
    const called = upstream.calls.some(({ requestId }) => requestId === id)
    if (paper.ambiguous) {
      this.#hold(
        paper.charged === (freeIfLost ? 0n : held),
        `${id} is ambiguous and charged ${paper.charged} of its hold ${held}`,
      )
      this.#hold(
        !owner || owner.mayLeaveWork || (freeIfLost && owner.end === 'cleanly'),
        `${id} is left ambiguous although ${owner?.name} lived to settle it`,
      )
      this.#hold(!paper.idempotencyKey || paper.claiming, `${id} is ambiguous and its key is free`)
    } else {
      this.#hold(
        called || paper.charged === 0n,
        `${id} is charged ${paper.charged} without any call upstream`,
      )
      this.#exact(id, last)
    }
    this.#acknowledged(id, last)
  }

  /** A call whose usage the upstream told costs what that usage costs. */
  #exact(id: string, { charged, loss }: Ending): void {
    const known = this.#settlements.get(id)?.settlement
    if (known?.detail?.['usage_source'] !== 'upstream') return
    const call = this.#ask.upstream.calls.findLast(({ requestId }) => requestId === id)
    const usage = call?.reported && { ...call.reported, output: Math.min(call.reported.output, call.limit) }
    const cost = usage && textModels.price(this.#ask.models.defaults.text, this.#ask.config.defaults, usage)
    const { held } = this.#ask.database.letters.get(id)!
    // Where the database did not say whether the hold could be raised to the cost, the caller was told the hold, and pays that.
    const wasLimitedToHold =
      known.withinHold && cost !== undefined && cost > held && known.microcredits === held
    const due = wasLimitedToHold ? held : cost
    this.#hold(charged + loss === due, `${id} costs ${due}, charged are ${charged} and lost ${loss}`)
  }

  /** What the platform called durable is in the books once, as it said. */
  #acknowledged(id: string, last: Ending): void {
    const known = this.#settlements.get(id)
    if (!known) return
    const { settlement, settled, process } = known
    if (!settled && process.mayLeaveWork) return
    this.#hold(settled !== undefined, `${id} was never said to be settled, and ${process.name} lives`)
    const { microcredits: asked, withinHold } = settlement
    const { held } = this.#ask.database.letters.get(id)!
    this.#hold(!withinHold || last.charged <= held, `${id} is charged ${last.charged} of a hold of ${held}`)
    this.#hold(
      last.by !== 'sweep' && last.asked === asked,
      `${id} was said to be settled at ${asked}; the books say ${last.by} at ${last.asked}`,
    )
    this.#hold(
      settled?.chargedMicrocredits === last.charged,
      `${id} was said to be charged ${settled?.chargedMicrocredits}; the books say ${last.charged}`,
    )
  }

  /** What nobody waits for is asked once, but for what an upstream refused before it. */
  #once({ requestId }: Sent): void {
    const calls = this.#ask.upstream.calls.filter((call) => call.requestId === requestId)
    this.#hold(
      calls.slice(0, -1).every(({ refused }) => refused),
      `${requestId} is asked again after an upstream may have worked on it`,
    )
  }

  #client(sent: Sent): void {
    const { requestId, answer, process, sentMs, endedMs, left } = sent
    const { database, upstream } = this.#ask
    this.#hold(endedMs !== undefined, `${requestId} waits for ever`)
    // Whether it was accepted is not always known to who asked; what it costs is checked by its row.
    if (sent.isFilm && answer?.kind === 'failure' && answer.code === 'SERVICE_UNAVAILABLE') return
    const paper = database.model.papers.get(requestId)
    const calls = upstream.calls.filter((call) => call.requestId === requestId)
    if (left || !answer || answer.kind === 'none') return
    // One transaction keeps all others waiting here, and those of videos are many and long.
    const isTimed = !this.#films && process.troubledMs < sentMs
    if (isTimed && (endedMs ?? 0) - sentMs > maxAnswerMs)
      this.#hold(false, `${requestId} waited ${endedMs! - sentMs} ms for its answer`)
    if (answer.kind === 'failure') {
      this.#hold(answer.code !== 'INTERNAL', `${requestId} got INTERNAL`)
      if (answer.executed || answer.code === 'INTERNAL') return
      this.#hold(calls.length === 0, `${requestId} was refused with ${answer.code} and called upstream`)
      // A process that dies between the refusal and its undoing leaves a hold whose truth nobody knows.
      if (paper && !process.mayLeaveWork)
        this.#hold(
          paper.charged === 0n,
          `${requestId} was refused with ${answer.code} and charged ${paper.charged}`,
        )
      return
    }
    const payer = answer.kind === 'json' ? answer.requestId : requestId
    const payment = database.model.papers.get(payer)
    this.#hold(
      payment !== undefined && (sent.isFilm || payment.state !== 'running'),
      `${requestId} was answered without a receipt`,
    )
    if (answer.kind === 'json' && payment && !sent.isFilm)
      this.#hold(
        payment.state === 'completed' || payment.ambiguous,
        `${requestId} was answered, and its receipt says ${payment.state}`,
      )
  }

  /** One key, one effect, one answer. */
  #keys(): void {
    const { sent } = this.#ask.people
    const keyed = Map.groupBy(
      sent.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
      ({ keyId, idempotencyKey }) => `${keyId} ${idempotencyKey}`,
    )
    for (const [key, requests] of keyed) {
      const working = requests.filter(({ requestId }) => this.#worked(requestId))
      this.#hold(
        working.length <= 1,
        `${key} had its effect ${working.length} times: ${working.map(({ requestId }) => requestId).join(', ')}`,
      )
      this.#replays(key, requests)
    }
  }

  #worked(id: string): boolean {
    const { upstream, vendor } = this.#ask
    const isOrdered = [...(vendor?.films.values() ?? [])].some(({ requestId }) => requestId === id)
    return isOrdered || upstream.calls.some(({ requestId, billed }) => requestId === id && billed.input > 0)
  }

  #replays(key: string, requests: Sent[]): void {
    const answered = requests.flatMap((sent) =>
      sent.answer?.kind === 'json' ? [{ sent, answer: sent.answer }] : [],
    )
    const [first] = answered
    if (!first) return
    for (const { sent, answer } of answered) {
      this.#hold(answer.text === first.answer.text, `${sent.requestId} under ${key} got another answer`)
      const original = requests.find(({ requestId }) => requestId === answer.requestId)
      this.#hold(
        original?.bodyText === sent.bodyText,
        `${sent.requestId} under ${key} got the answer to another request`,
      )
    }
    // Whoever has an answer in hand can have it again.
    for (const repeat of requests) {
      const { answer } = repeat
      if (answer?.kind !== 'failure' || repeat.bodyText !== first.sent.bodyText) continue
      if (!answered.some(({ sent }) => (sent.endedMs ?? 0) < repeat.sentMs && !sent.left)) continue
      this.#hold(
        answer.code === 'SERVICE_UNAVAILABLE',
        `${repeat.requestId} repeats an answered request and gets ${answer.code}`,
      )
    }
  }
}

const mendedOrNot = (endings: Ending[]): string => (endings.length > 1 ? 'sweep mend' : 'sweep')
