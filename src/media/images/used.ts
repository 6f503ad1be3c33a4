/** The usage of pictures, measured by those that were stored, and by the claims of upstreams as far as they are possible. */
import {
  type ClaimedImageTokens,
  type Cost,
  foldCost,
  type ImageTokens,
  imageModels,
  paidImageTokens,
  plausibleImageTokens,
  sumCosts,
} from '#core/models'
import type { FilledPart } from '#core/paid'
import type { ImageResult } from '#core/spec'
import type { Picture } from './images.ts'
import type { ImageCandidate } from './plan.ts'

/** The pictures of one order that are whole. */
export interface DrawnPictures {
  pictures: Picture[]
  usage: ImageResult['usage']
}

/** An order that was sent. */
export type DrawnOrder = FilledPart<ImageCandidate, DrawnPictures>

type FilledOrder = Extract<DrawnOrder, { done: DrawnPictures }>

type ImageDefaults = Parameters<typeof imageModels.price>[1]
type ImageUse = Parameters<typeof imageModels.price>[2]

/** All orders of a request, as far as they have been drawn. */
export interface DrawnOrders {
  groups: readonly DrawnOrder[]
  stored: readonly Picture[]
  /** The number of unfinished pictures that were shown. */
  partials: number
  defaults: ImageDefaults
}

/** The tokens that the upstreams claim. */
export function claimedTokens({ groups }: DrawnOrders): ClaimedImageTokens | undefined {
  const counted = groups.flatMap((group) => (group.fault ? [] : (group.done.usage ?? [])))
  return counted.length > 0 ? counted.reduce(sumTokens) : undefined
}

/** The claimed tokens as far as they are possible. */
export function believedTokens(drawn: DrawnOrders): ImageTokens | undefined {
  const counted = drawn.groups.flatMap((group) => (group.fault ? [] : (believedOf(drawn, group) ?? [])))
  return counted.length > 0 ? counted.reduce(sumTokens) : undefined
}

/** The claimed tokens as far as they are believed, or an estimate where the price is by tokens and none were counted. */
export function usedTokens(drawn: DrawnOrders): ImageTokens {
  const all = drawn.groups.flatMap((group) => (group.fault ? [] : (tokensOf(drawn, group) ?? [])))
  return all.length > 0 ? all.reduce(sumTokens) : { input: 0, output: 0 }
}

/** The tokens of the charged pictures, where the price is by tokens. */
export const chargedTokens = (drawn: DrawnOrders): Record<string, number>[] =>
  drawn.groups.flatMap((group) => {
    const count = storedOf(drawn, group)
    if (count === 0) return []
    const paid = paidImageTokens(group.candidate.model, usedBy(drawn, group, count))
    if (!paid) return []
    const { input, mediaInput, output } = paid
    return {
      text_input_tokens: input - mediaInput,
      image_input_tokens: mediaInput,
      image_output_tokens: output,
    }
  })

/** The cost of the stored pictures. */
export const chargeOf = (drawn: DrawnOrders): Cost => costOfGroups(drawn, (group) => storedOf(drawn, group))

/** What upstreams may bill: every picture of every order that may have been executed, whatever its outcome. */
export const billedOf = (drawn: DrawnOrders): bigint =>
  costOfGroups(drawn, ({ fault, candidate }) => (fault && !fault.executed ? 0 : candidate.order.count))
    .microcredits

function costOfGroups(drawn: DrawnOrders, countOf: (group: DrawnOrder) => number): Cost {
  const costs = drawn.groups.flatMap((group) => {
    const count = countOf(group)
    return count > 0
      ? imageModels.cost(group.candidate.model, drawn.defaults, usedBy(drawn, group, count))
      : []
  })
  return foldCost(sumCosts(costs))
}

const storedOf = ({ stored }: DrawnOrders, group: DrawnOrder): number =>
  group.fault ? 0 : group.done.pictures.filter((one) => stored.includes(one)).length

function usedBy(drawn: DrawnOrders, group: DrawnOrder, count: number): ImageUse {
  const { order } = group.candidate
  return {
    ...{ ...order, count, partials: drawn.partials, ordered: order.count },
    tokens: group.fault ? undefined : believedOf(drawn, group),
  }
}

/** The tokens that the upstream claims for an order, as far as they are possible. */
const believedOf = (
  { partials }: DrawnOrders,
  { candidate: { model, order }, done: { usage } }: FilledOrder,
): ImageTokens | undefined => usage && plausibleImageTokens(model, { ...order, partials }, usage)

function tokensOf(drawn: DrawnOrders, group: FilledOrder): ImageTokens | undefined {
  const { model, order } = group.candidate
  return believedOf(drawn, group) ?? paidImageTokens(model, { ...order, count: group.done.pictures.length })
}

const figures = ['input', 'mediaInput', 'output'] as const

/** The sum over several orders; a figure that one of them lacks is absent from the sum. */
const sumTokens = <Tokens extends ClaimedImageTokens>(a: Tokens, b: Tokens): Tokens =>
  Object.fromEntries(
    figures.flatMap((figure) => {
      const [one, other] = [a[figure], b[figure]]
      return one === undefined || other === undefined ? [] : [[figure, one + other]]
    }),
  ) as Tokens
