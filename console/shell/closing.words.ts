import { isolatedName } from '../words/clean-name.ts'

const fa = {
  leavingTitle: 'قرار است حذف شوید',
  leavingWhy: (day: string, days: string) =>
    `حذف خودتان را خواسته‌اید. ${day}، یعنی ${days} روز دیگر، نام، نشانی‌ها، راه‌های ورود و خروجی‌های داده‌تان برای همیشه پاک می‌شوند. تا آن زمان می‌توانید پس بگیرید، و کار دیگری در این‌جا نمی‌توانید بکنید.`,
  leavingWith: 'این حساب‌ها هم در انتظار حذف‌اند. آن‌هایی که همراه شما حذف می‌شدند، با پس‌گرفتن می‌مانند:',
  leavingUndo: 'پس گرفتن حذف',
  signOut: 'خروج',

  closing: (name: string, day: string) =>
    `حساب «${isolatedName(name)}» ${day} حذف می‌شود. تا آن زمان فقط خواندنی است و چیزی از اعتبارش کم نمی‌شود.`,
  undo: 'برگرداندن حذف',
  undone: 'حساب حذف نمی‌شود.',
  askOwner: 'مالک حساب می‌تواند آن را برگرداند.',
}

const en = {
  leavingTitle: 'You are to be deleted',
  leavingWhy: (day: string, days: string) =>
    `You have asked to be deleted. On ${day}, in ${days} days, your name, addresses, ways to sign in and exports are deleted for good. Until then you can take it back, and do nothing else here.`,
  leavingWith:
    'These accounts are to be deleted too. Those that would go with you stay when you take it back:',
  leavingUndo: 'Take it back',
  signOut: 'Sign out',

  closing: (name: string, day: string) =>
    `The account ${isolatedName(name)} is deleted on ${day}. Until then it can only be read, and nothing of its credit is spent.`,
  undo: 'Undo the deletion',
  undone: 'The account is not deleted.',
  askOwner: 'An owner of the account can undo it.',
} satisfies typeof fa

export const closingWords = { fa, en }
