const fa = { exactly: 'مقدار دقیق در صفحهٔ مصرف' }

const en = { exactly: 'Exactly, on the page of usage' } satisfies typeof fa

export const usageLinkWords = { fa, en }
