import { drawnMutations } from './drawn.ts'
import type { Mutation } from './mutation.ts'
import { accessMutations } from './picked-access.ts'
import { moneyMutations } from './picked-money.ts'
import { ownerMutations } from './picked-owners.ts'
import { roomMutations } from './picked-rooms.ts'
import { signInMutations } from './picked-sign-in.ts'
import { spendingMutations } from './picked-spending.ts'

/** Picked by hand, for what the product promises. */
export const picked: readonly Mutation[] = [
  ...moneyMutations,
  ...accessMutations,
  ...signInMutations,
  ...roomMutations,
  ...spendingMutations,
  ...ownerMutations,
]

/** All of them; `npm run mutate -- 12` runs the twelfth. */
export const mutations: readonly Mutation[] = [...picked, ...drawnMutations]
