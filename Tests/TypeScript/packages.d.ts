// What docs/app.md uses of other packages.
declare const console: { warn(message: unknown): void };

declare module "react" {
    export function useEffect(effect: () => () => void, dependencies: readonly unknown[]): void;
}

declare module "react-native" {
    export const Platform: { readonly OS: "ios" | "android" | "macos" | "windows" | "web" };
    export const Linking: {
        getInitialURL(): Promise<string | null>;
        openURL(url: string): Promise<void>;
        addEventListener(type: "url", handler: (event: { url: string }) => void): { remove(): void };
    };
}

declare module "@react-native-async-storage/async-storage" {
    const AsyncStorage: {
        getItem(key: string, callback?: (error?: Error, result?: string) => void): Promise<string | null>;
        setItem(key: string, value: string, callback?: (error?: Error) => void): Promise<void>;
    };
    export default AsyncStorage;
}

declare module "@capacitor/app" {
    export const App: {
        addListener(name: "appUrlOpen", listener: (event: { url: string }) => void): Promise<{ remove(): Promise<void> }>;
        getLaunchUrl(): Promise<{ url: string } | undefined>;
    };
}
