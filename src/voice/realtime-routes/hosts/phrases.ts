/** The reasons for which a process that holds calls for others does not start. */
export const hostStart = {
  noSecret: {
    en: 'KHERAD_SECRET is not set: a process of the role voice shares it with the processes of the API, which pass calls to it by it. Set the same one for all of them.',
    fa: 'KHERAD_SECRET تعیین نشده است: پردازهٔ نقش voice آن را با پردازه‌های API مشترک دارد و تماس‌ها با آن به او سپرده می‌شوند. برای همهٔ آن‌ها یکی بگذارید.',
  },
  noListener: (at: string) => ({
    en: `${at} cannot be listened on for the calls of this process: set KHERAD_VOICE_ADDRESS to a name or an address of this machine, and KHERAD_VOICE_PORT to a free port.`,
    fa: `برای تماس‌های این پردازه نمی‌توان روی ${at} گوش داد: KHERAD_VOICE_ADDRESS را نام یا نشانی همین ماشین و KHERAD_VOICE_PORT را درگاهی آزاد بگذارید.`,
  }),
}
