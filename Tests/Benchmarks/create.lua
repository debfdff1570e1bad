-- Sends POST with the body $BODY and the key $KEY. See measure.lua for the output.
local folder = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(folder .. "measure.lua")

wrk.method = "POST"
wrk.body = os.getenv("BODY")
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("KEY")
