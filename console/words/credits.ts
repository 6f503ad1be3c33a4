/** An amount with its word in English; the amount is written already. */
export const credits = (amount: string): string => (amount === '1' ? '1 credit' : `${amount} credits`)
